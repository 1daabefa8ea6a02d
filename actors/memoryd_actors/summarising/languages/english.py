"""English."""

from memoryd_actors.summarising.languages.ending import Ending

ENGLISH = Ending(
    code="en",
    acts=r"fixed|solved|resolved|finished|completed|implemented|added|removed|moved|renamed|updated|created|deployed|merged|committed"
    r"|pushed|released|migrated|refactored|replaced|reverted|installed|configured|enabled|disabled|wrote|written|rewrote|rewritten"
    r"|built|rebuilt|rolled back|cleaned up|scheduled|pinned|closed|documented|tested|verified|switched|upgraded|downgraded|changed"
    r"|published|shipped|corrected|adjusted|extended|deleted|dropped|reproduced|set up|split|converted|wired up|integrated|patched"
    r"|restored|simplified|bumped|tagged|raised|lowered|increased|reduced|found|got",
    done=(
        r"(?:i|we)(?:'ve| have)? (?:also |now |just |already |successfully |finally |then )*ACT",
        r"(?:was|were|has been|have been|is now|are now|is already|are already) (?:now |also |successfully |all )*ACT",
        r"(?:bug|issue|problem|error|crash|leak|regression) is (?:now )?(?:fixed|solved|resolved|gone)",
        r"(?:tests?|checks?|suite|build|pipeline|ci|everything|export|import|deploy|migration) (?:now |all )?(?:pass(?:es|ed)?|succeed(?:s|ed)"
        r"|works?|is green|are green|(?:ran|run|runs|goes|went) through|is live)(?: now| again)?",
        r"(?:are|is) (?:all |now )*passing(?: now| again)?|(?:builds|compiles|renders|loads|starts|returns?) (?:now|again|correctly)"
        r"|now (?:all )?(?:\d+ )?(?:builds?|compiles?|renders?|loads?|starts?)|(?:is|are) (?:now )?(?:complete|all set|fully set up)|all set up"
        r"|(?:deploy\w*|release|migration|import|upload) succeeded|(?:went|came|dropped) (?:down )?from \S+ \S+ to|no changes (?:were|was) needed",
        r"(?:works?|runs?|running|green|live) (?:now|again)|now works|no longer (?:fails?|crash\w*|happens|occurs)|all green",
    ),
    opens=r"(?:all )?(?:done|fixed|solved|resolved|finished|implemented|added|removed|moved|renamed|updated|created|deployed|merged"
    r"|committed|pushed|released|reverted|refactored|replaced)",
    failed=r"still (?:fails?|failing|broken|crash\w*|not|hangs|red|the same|there|gets?|getting|happens|open|slow|wrong|doesn't"
    r"|does not)|(?:couldn't|could not|can't|cannot) (?:be )?(?:reproduce\w*|fix\w*|find|found|solve\w*|finish\w*|connect"
    r"|resolve\w*|get)|(?:didn't|did not|doesn't|does not|don't) (?:work|help|fix|solve|change anything|run)"
    r"|(?:not|isn't|wasn't|aren't) (?:yet )?(?:fixed|solved|resolved|done|working|finished)|unsolved|unresolved|gave up|no luck"
    r"|blocked|(?:issue|bug|question|problem|it|this|that|cause) (?:still )?remains? (?:open|unsolved|broken|unclear)|same (?:error|problem|issue|result|message)|(?:broke|breaks) (?:it|again)"
    r"|(?:tests?|build|it|this|that|pipeline|deploy\w*|job|run|export|import|upload|login|migration) (?:now |also )?(?:fails?|failed)"
    r"|(?:is|are) (?:still )?failing|(?:wasn't|weren't|was not|were not|am not|'m not|been) (?:un)?able to|unable to|can't be done|didn't manage",
    confirmed=r"(?:it |that |this |everything )?works(?: now| again| fine| great)?|working now|that (?:did it|fixed it|solved it"
    r"|was it)|all green|it's (?:fixed|fine now|green)|no more errors?|problem solved|confirmed",
    decided=r"(?:we|i)(?:'ve| have)? (?:just |finally |now |all )?(?:decided|agreed|settled on|chose|picked|opted)"
    r"|(?:we|i)(?:'re| are|'ll| will) (?:going|sticking|go|stick) with"
    r"|let's (?:go with|stick (?:with|to)|use|keep|move|switch|take|put|drop|postpone|leave)",
    planned=r"i'll|i will|we'll|we will|will be|let me|let's|going to|next|should|could|would|might|may|can be|you can|you could"
    r"|needs?|must|has to|have to|want|if|once|when|before|after|until|please|try|to be|how|whether|for example|get|make sure"
    r"|ensure|unless|will|considering|since",
    negated=r"not|never|\w+n't|cannot|without having",
    conditions="if|once|when|after|unless",
    own="(?:ok(?:ay)?,? |so,? |and )*(?:(?:i|we)(?:'ve| have)? (?:just |already |now )*(?:fixed|merged|deployed|pushed|released|committed|closed|solved|reverted)|all|everything|the (?:build|tests?|pipeline|ci|deploy))",
    announces=r"(?:(?:sure|okay|ok|great|now|first|next|then)[,!.]? )*(?:i'll|i will|i'm going to|let me|let's (?:look|check|see|start)"
    r"|feel free|would you like|do you want me|happy to|glad to|i hope this|if you (?:need|want|have|would like)|you're welcome)",
    likely=r"likely|probably|possibly|any (?:issues?|problems?)|you|your|in (?:version|v?\d|python|node)",
    limits="but|except|only on|sometimes",
)
