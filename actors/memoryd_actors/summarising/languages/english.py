"""English."""

from memoryd_actors.summarising.languages.ending import Ending

ENGLISH = Ending(
    code="en",
    done=r"done|fixed|solved|resolved|finished|completed|implemented|added|removed|moved|renamed|updated|created|deployed|merged"
    r"|committed|pushed|released|migrated|refactored|replaced|reverted|installed|configured|enabled|disabled|wrote|written"
    r"|rewrote|rewritten|built|rolled back|cleaned up|succeeded|scheduled|pinned|closed|documented|tested|verified|switched"
    r"|upgraded|downgraded|changed|published|shipped|corrected|adjusted|extended|deleted|dropped|reproduced|set up|split"
    r"|passed|pass(?:es)?(?: now| again)?|(?:works?|running|runs|green|live) (?:now|again)|(?:now|again) works?|is (?:green|live)"
    r"|are (?:all )?green|ran through|went through|no longer (?:fails?|crash\w*|happens|occurs)",
    failed=r"still (?:fails?|failing|broken|crash\w*|not|hangs|red|the same|there|gets?|getting|happens|open|slow|wrong|doesn't"
    r"|does not)|(?:couldn't|could not|can't|cannot) (?:be )?(?:reproduce\w*|fix\w*|find|found|solve\w*|finish\w*|connect"
    r"|resolve\w*|get)|(?:didn't|did not|doesn't|does not|don't) (?:work|help|fix|solve|change anything|run)"
    r"|(?:not|isn't|wasn't|aren't) (?:yet )?(?:fixed|solved|resolved|done|working|finished)|unsolved|unresolved|gave up|no luck"
    r"|blocked|remains? (?:open|unsolved|broken|unclear)|same (?:error|problem|issue|result|message)|(?:broke|breaks) (?:it|again)"
    r"|failed|fails|is failing|are failing",
    confirmed=r"(?:it |that |this |everything )?works(?: now| again| fine| great)?|working now|that (?:did it|fixed it|solved it"
    r"|was it)|all green|it's (?:fixed|fine now|green)|no more errors?|problem solved|confirmed",
    decided=r"(?:we|i)(?:'ve| have)? (?:just |finally |now |all )?(?:decided|agreed|settled on|chose|picked|opted)"
    r"|(?:we|i)(?:'re| are|'ll| will) (?:going|sticking|go|stick) with"
    r"|let's (?:go with|stick (?:with|to)|use|keep|move|switch|take|put|drop|postpone|leave)",
    planned=r"i'll|i will|we'll|we will|will be|let me|let's|going to|next|should|could|would|might|may|can be|you can|you could"
    r"|needs?|must|has to|have to|want|if|once|when|before|after|until|please|try|to be|how|whether|for example|get|make sure"
    r"|ensure|unless|will",
    negated=r"not|never|\w+n't|cannot|without having",
    conditions="if|once|when|after|unless",
    own="(?:ok(?:ay)?,? |so,? |and )*(?:i|we|all|it|everything|the (?:build|tests?|pipeline|ci|deploy))",
    limits="but|except|only on|sometimes",
)
