"""English."""

from memoryd_actors.extraction.languages.telling import Telling

_PART = (
    r"(?:apis?|apps?|applications?|servers?|services?|databases?|db|frontends?|backends?|clients?|gateways?|repos?"
    r"|repositor(?:y|ies)|monorepos?|packages?|modules?|librar(?:y|ies)|branch(?:es)?|configs?|configurations?|settings"
    r"|pipelines?|ci|cd|clusters?|queues?|workers?|schedulers?|cron jobs?|endpoints?|teams?|customers|users?|tenants?"
    r"|secrets|credentials|passwords|keys|tokens|logs|metrics|dashboards?|deploys?|deployments?|releases|builds"
    r"|migrations|tickets|issues|feature flags?|flags|staging|production|prod|sandbox|account|environments?|hosts?"
    r"|domains?|ui|websites?|docs|documentation|guidelines?|conventions?|style guide|schemas?|tables?|columns?|timestamps"
    r"|dates|prices|amounts|ids|messages|backups?|caches?|buckets?|projects?|products?|contracts?|licen[cs]es?|code"
    r"|codebase|tests|test suite|commits|pull requests|merge requests|reviews|runners?|images?|containers?|jobs|events"
    r"|emails|payments?|invoices|sdk|cli|daemon|proxy|firewall|vpn|network|cdn|dns|registry|version|firmware|builds?|minimum|maximum|limits?|default|convention|standard|rule|policy|monolith|portal|designers?|developers|colleagues|deadline|budget"
    r"|office|company|manager|boss)"
)
_STANDS = (
    r"(?:is|are|gets?|runs?|lives?|sits?|listens?|talks? (?:only )?to|happens?|goes? (?:to|through|via|away)|go(?:es)? out"
    r"|uses?|requires?|needs?|owns?|belongs? to|expires?|returns?|has|have|supports?|depends? on|reads? from|comes? from"
    r"|follows?|handles?|can only|must(?: not)?|cannot|can't|may not|does not|doesn't|do not|don't|consists? of|contains?|deploys?"
    r"|ships?|closes?|starts?|ends?|accepts?|stores?|speaks?|keeps?|exposes?)"
)
_WORDS = r"(?:[^\s,;:!?()]+ )"
_SAYS_WHICH = r"(?: (?:of|for|in|on|to|with|between|at|from) (?:the |our |my )?[^\s,;:!?()]+(?: (?:[^\s,;:!?()]+))?)"
_ADVERBS = r"(?:(?:all|also|only|always|usually|normally|currently|mostly|mainly|both|never|just|actually|now|still) )*"
_NO_HABIT = (
    r"(?:need|should|could|can|can't|must|might|may|will|would|want|wanted|have|had|has|are|were|was|be|do|did|don't|didn't|get|got"
    r"|see|saw|know|knew|think|thought|look|try|fix|start|stop|go|went|came|come|made|let|forgot|miss|said|say|talk|spoke|mean"
    r"|ran|run into|found|left|lost|took|put|gave|built|broke|shall|also|hit|still|just|only|never|always|both|all|now|'\u2019|re|ve)\b"
)
_NOT_OURS = r"(?:test|tests|page|code|problem|bug|fix|error|best|next|last|first|case|branch is)\b"
_DEICTIC = (
    r"(?:it|this|that|these|those|them|the (?:first|second|third|last|other|old|new|same|current|latter|former|next"
    r"|above|below)\b|yours?|you|one(?![-\w])|both|either|option)"
)
ENGLISH = Telling(
    code="en",
    common="the and is are was were of to for with that this it i we you my our not in on have has a an be do don't from",
    prefers=rf"^\W*prefer (?!{_DEICTIC})\S+ .{{2,60}}?\b(?:over|to)\b|\b(?:i|we) (?:\w+ )?(?:prefer|favou?r|can't stand) (?!{_DEICTIC})"
    rf"|\b(?:i|we) (?:really |generally |usually )?(?:love|enjoy|hate|dislike|like|don't like|do not like)"
    rf" (?!{_DEICTIC}|to (?:see|know|hear)\b|how\b|what\b|the\b|your\b)"
    r"|\b(?:i|we) (?:generally|usually|always|mostly|normally) (?:go for|lean towards|opt for)\b|\b(?:i|we) hate it when\b|\b(?:my|our) (?!(?:code|test|tests|build|app|server)\b)[^\s,]+ (?:wants|hates|likes|loves|prefers|insists|requires|expects)\b|\b(?:i'd|we'd|i would|we would) rather (?:have|use|see|write|keep|avoid|get)"
    rf" (?!{_DEICTIC}|the\b)|\b(?:my|our) (?:favou?rite|preference|preferred|go-to)\b",
    advises=r"(?:please |also |and |but |in general,? |generally,? )*(?:"
    r"(?:please )?stop (?:adding|using|writing|putting|creating|suggesting|committing|mocking|importing) (?!the\b|this\b|that\b|it\b)\S+ .{3,}"
    r"|no (?!(?:idea|problem|need|luck|changes?|errors?|way|worries|rush|hurry|one)\b)\S+ (?:in|on|outside|inside|for) .{3,}"
    r"|don't bother with \S+ \S+|"
    r"(?:do not|don't|never|avoid)(?: ever)? (?:use |using |add |adding |write |writing |put |putting |commit |push "
    r"|create |introduce |suggest |import |mock |mocking |install |log |return |raise |catch |hardcode |abbreviat\w+ )?"
    r"(?!the\b|this\b|that\b|it\b|these\b|those\b|my\b|your\b|any of\b|forget\b|worry\b|know\b|think\b|do\b|be\b|stop\b"
    r"|mind\b|touch\b|change\b|delete\b|remove\b|run\b|start\b|bother\b|understand\b|see\b|get\b|have\b|need\b|want\b)"
    r"\w+(?: \S+){1,}"
    r"|(?:always|never) (?:use|write|add|run|keep|put|name|return|prefer|ask|check|commit|squash|rebase|test|document)"
    r" (?!it\b|this\b|that\b)\S+ \S+"
    r"|use (?!a\b|an\b|the\b|this\b|that\b|it\b|these\b|those\b|my\b|your\b|one\b|both\b)\S+ .{0,60}?"
    r"\b(?:instead of|rather than|everywhere|in general|by default|for (?:all|every|any|new)|in (?:all|every)|only"
    r"|whenever|in [\w-]+(?:files|tests|scripts|modules|names|docs|comments|projects|code)\b|not)\b"
    r"|(?:keep|write|name|format|document) (?!it\b|this\b|that\b|the\b|a\b|an\b|going\b|your\b|my\b|me\b|in mind\b)"
    r"(?:all |every )?\S+ .{0,50}?\b(?:under|below|short|small|simple|in english|in the|with a?|without|as|after"
    r"|sorted|consistent|lower\w*|upper\w*|imperative|at most|up to date)\b"
    r"|(?:all|every|each|any|no) .{3,50}? (?:should|must|has to|have to|needs? to|may) .{3,}"
    r"|(?!we\b|i\b|you\b|it\b|this\b|that\b|there\b|they\b|he\b|she\b|the\b|these\b|those\b|what\b|how\b|if\b|why\b|who\b)"
    r"(?:[\w-]+ ){1,4}?(?:should|must) (?:always |never |not |only )?"
    r"(?:be (?:in\b|written|named|sorted|kept|short|tested|covered|reviewed|squashed|signed|prefixed)|have|use|go|live"
    r"|come|end|start with|follow|contain)\b.{3,})",
    decides=r"\b(?:we|i)(?:'ve| have)? (?:just |finally |now |all |also )*(?:decided|agreed (?:on|that|to|with)|settled on"
    r"|opted (?:for|against)|chose|picked|went with|ruled out|dropped|rejected|switched (?:from|to|over)|migrated (?:from|to)"
    rf"|standardi[sz]ed on)\b(?! {_DEICTIC})"
    rf"|\b(?:we|i)(?:'re| are|'m| am|'ll| will) (?:going|sticking|staying|go|stick|stay) with (?!{_DEICTIC})"
    rf"|\bwe (?:stick|stay) (?:with|to) (?!{_DEICTIC})"
    rf"|\b(?:we|i)(?:'re| are|'m| am) (?:going to|gonna) (?:stick|stay|go) with (?!{_DEICTIC})"
    r"|\b(?:we|i)(?:'re| are) (?:migrating|moving|switching) (?:away )?(?:from|to|over)\b"
    rf"|^\W*(?:(?:ok(?:ay)?|alright|then|so|yes|right)[,.]? )*let's (?:go with|stick (?:with|to)|stay with|switch to"
    rf"|call (?:it|them)|settle on) (?!{_DEICTIC}|a simple\b)"
    rf"|^\W*(?:(?:ok(?:ay)?|alright|then|so|yes|right)[,.]? )*let's use (?!{_DEICTIC}|a\b|an\b|the\b)\S+ .{{0,30}}\b(?:for|instead|as)\b",
    corrects=r"(?:no|nope|wrong|actually|correction|incorrect|that's (?:wrong|not right|not true|incorrect|not correct"
    r"|not quite right)|not quite)(?:[,.:;!]| \u2013| -)+ (?:(?:actually|you (?:misunderstood|misread|got (?:that|it) wrong)|that's (?:wrong|not (?:right|true|how it works|what i meant)))[,:.;]? )*"
    r"(?!(?:i|we (?:need|should|could|can|want)|let|that's|it's (?:fine|ok|not|still)|it (?:still|does)|you|don't|do|just"
    r"|please|wait|try|use|the other|this|go|leave|keep|only|not|never mind|maybe|can|could|make|put|add|remove|change"
    r"|revert|undo|there)\b)",
    states=r"(?:is|are|was|were|has|have|had|uses?|runs?|lives?|means?|owns?|belongs?|reads?|returns?|needs?"
    r"|must|should be|does|doesn't|goes|comes|listens?|supports?|requires?|expects?)\b",
    learns=r"\b(?:the|our|my) (?:real |actual |root |only )?(?:fix|cause|root cause|culprit|solution|trick) (?:was|turned out)\b"
    r"|\b(?:the|our|my) (?:real |actual )?(?:problem|bug|issue|reason) (?:was (?!in\b|on\b|fixed\b|solved\b|gone\b)|turned out)"
    r"|(?:^\W*|(?<!how\s)\bit )turn(?:s|ed) out,? (?=\S+ \S+ \S)|\bturn(?:s|ed) out (?:that|to be)\b|\bfound it: |\b(?:crash|leak|bug|error|problem|slowdown|failure|timeout) came from\b|\blessons? learned ?:"
    r"|\b(?:i|we)(?:'ve)? (?:just )?(?:learn(?:ed|t)|found out|figured out)(?: today| yesterday)? that\b(?! the hard)"
    r"|\bwhat (?:finally )?(?:fixed|solved|helped|broke|caused) (?:it|that|this)\b.{0,20}\b(?:was|is)\b"
    r"|\b(?:that|this|which) (?:fixed|solved) (?:it|the)\b"
    r"|\b(?:was|were) (?:caused by|due to)\b"
    r"|\b(?:was|were) because of (?!(?:me|my|you|this|that)\b)|\bthe reason (?:it|this|that|why|for)\b.{0,40}(?:\bwas\b.{0,30}(?:\bthat\b|:)|:)|\bas it turns out\b|\b(?:failed|broke|crashed|hung|was (?:slow|flaky|failing|broken)) because (?!i\b|you\b)",
    does=rf"\b(?:we|i) {_ADVERBS}(?:use|run (?!into\b|the\b|it\b)|deploy|host|ship|release|name|store|keep|support|require"
    r"|follow|write|target|rely on|build (?:with|on|for)|test against|squash|rebase|merge|go through|own|maintain|bill|log"
    r"|track|convert|sell|pin|publish|develop|sign|tag|version|format|lint|are on|are not allowed|aren't allowed"
    r"|cannot use|can't use|don't (?:use|put|store|commit|deploy|push|write|support|mock|allow|ship|do)"
    r"|do not (?:use|put|store|commit|deploy|push|write|support|mock|allow|ship|do)"
    r"|have (?:a|an|two|three|four|five|six|\d+|no|only|separate|our own)|put)\b"
    r"|\bwe're on [A-Z]\w+|\bwe(?:'re| are) an? [\w-]+ \w+|\bfor \S+(?: \S+){0,3} there(?:'s| is| are) (?:a|an|its own|separate|dedicated) \S+"
    r"|\b(?:everyone|everybody|nobody|no one|none) (?:of|on|in) (?:us|our|the) ",
    holds=rf"(?:(?:by the way|btw|fyi|note|also|and|but|so|in \w+|for (?:the|all|every|our|new) [^\s,]+(?: [^\s,]+)?)[,:]? )*(?:"
    rf"(?:(?:all|every|each|the|both|no) )?(?:of )?(?:our |the |my )?{_WORDS}{{0,4}}?{_PART}{_SAYS_WHICH}{{0,2}} (?:user )?"
    rf"{_ADVERBS}{_STANDS}\b"
    rf"|(?:our|my) {_WORDS}{{1,4}}?{_ADVERBS}(?:is|are|runs?|lives?|requires?|uses?|needs?|has|have|must|belongs? to)\b)",
    stands=rf".{{0,80}}?\bwe {_ADVERBS}(?!{_NO_HABIT}|\w+ed\b)[a-z]+ (?!it\b|this\b|that\b|these\b|those\b|you\b)\S+ \S+"
    rf"|(?!(?:there|here|what|it|this|that|these|those|he|she|they|we|i|you|if|when|error|line|tests?|still|same|nothing|why|how|who|where|maybe)\b){_WORDS}{{1,4}}?{_STANDS}\b"
    rf"|(?:(?:by the way|btw|fyi|note|and|but|so|the thing is|as a rule)[,:]? )*(?:the|all|every|each|no) (?!(?:test|tests|page|button|error|script|output|console|spinner|screen)\b){_WORDS}{{1,7}}?{_STANDS}\b"
    rf"|.{{0,40}}\bour (?!{_NOT_OURS}){_WORDS}{{1,4}}?(?!and\b|or\b|is\b|are\b)[a-z]+s? \S+ \S+",
    lasts=r"\b(?:only|always|never|every|each|all|must|per|until|unless|managed|shared|owned|hosted|required|forbidden|allowed"
    r"|through|via|by hand|whole|nobody|everybody|everything|nothing|anything|(?:days?|weeks?|months?|years?|hours?)|quarter|read-only|monday|tuesday|wednesday|thursday|friday|weekends?)\b|\b(?:in|on|by|to|from|with) (?-i:[A-Z])\w|(?<=\w)/(?=\w)|\b\d",
    contrasts=r"(?:,|\band)? ?\b(?:not|instead|rather than|no longer|isn't|aren't|doesn't)\b",
    mine=r"\b(?:i'm (?:colou?r[- ]?blind|dyslexic)|i've never (?!seen (?:this|that|it)|tried (?:this|that|it)|heard)\w+|my (?:[^\s,;:!?()]+ ){1,3}?(?:is called|is named)"
    r"|my (?:[^\s,;:!?()]+ ){0,3}?[^\s,;:!?()]+, (?:[A-Z]\w+, )?who(?:'s| is) |my name is|call me [A-Z]|i (?:mainly |mostly |also |usually |only )*(?:work|live|report|maintain|own|manage|lead)"
    r" (?:on|at|in|for|with|to|as|from)?\b|i (?:mainly |mostly |always |usually |only )*use (?!a\b|the\b|this\b|that\b|it\b)"
    r"|(?:i'm|i am) (?:the (?:only|lead|main|maintainer|owner|one responsible)|an? [\w-]*(?: [\w-]+)? ?(?:developer|engineer"
    r"|designer|manager|student|scientist|admin\w*|architect|tester|freelancer|consultant|researcher|beginner|lead)"
    r"|part of|based in|responsible for|in charge of|on the [\w-]+ team|new to|colou?r[- ]?blind|allergic"
    r"|the [\w-]+ (?:lead|manager|developer|engineer)))",
    points=r"^\W*(?:here(?:'s| is| are)|given that)\b|\b(?:the (?:first|second|third|last|other|left|right|old|new) (?:column|row|line|request|button|test|tab|loop|call|entry|page|image|picture|chart|field|argument|parameter|function|file|branch)|pasted|screenshot|every time (?:i|we|you)|both branches|the following|as mentioned|this one|that one|line \d+|(?:below|above) (?:it|that|this)|(?:a|an|the) (?:loop|function|variable|dict\w*"
    r"|list|comprehension|class|method|bracket|failing test|typo|button) here|the (?:left|right|second|first|last|other) one"
    r"|here's|see (?:above|below)|these lines|(?:two|three) windows)\b",
    passes=r"^\W*let's\b|\bi'll\b|\bi'm (?:trying|going) to\b|\b(?:right now|still|again|yet|just|at the moment|tonight|this (?:morning|afternoon|time)|for now|so far"
    r"|already|meanwhile|wait|hold on|almost|in (?:a|an|\d+|two|five|ten|twenty) (?:minutes?|hours?|seconds?|moment|bit|sec)"
    r"|(?:before|after) lunch|today|tomorrow|urgent|now|give me|a (?:minute|second|sec|moment)|currently (?:\w+ing))\b|\bfirst\W*$|\bsorry\b",
    troubles=r"\b(?:timeouts?|times out|timed out|conflicts?|overlap\w*|errors?|exceptions?|fail(?:s|ed|ing|ure)?|broke(?:n)?|crash\w*|hangs?|hung|stuck|doesn't work|does not work"
    r"|not working|bugs?|typos?|weird|wrong|undefined|traceback|red|green|forgot|no difference|missing|slow|empty|stale"
    r"|loading|ready|done|fixed|gone|down|outdated|unclear|confusing|ugly|too \w+|500|404|problem|my bad)\b",
    wonders=r"\b(?:i'd (?:also )?like|i'm having|i've (?:also |already |just )?(?:checked|tried|looked)|maybe|perhaps|might|probably|i think|i guess|i believe|not sure|no idea|if (?:we|i|you)|suppose|what if"
    r"|could be|seems?|looks like|should we|hopefully|i wonder|i hope)\b",
    asks=r"(?:[,;]|\s[-\u2013\u2014])?\s*\b(?:(?:and|but|so|or|because) )*(?:can you|could you|would you|do you"
    r"|how (?:can|do|does|did|is|are|should|would|could|might|will)|what(?:'s| is| are| do| does| can| should| would| if)|which (?:makes me|one)"
    r"|should i|is (?:it|this|that|there)\b|are there|will (?:this|that|it)"
    r"|(?:i'm|i am|i was) (?:wondering|not sure|curious|unsure)|i wonder"
    r"|(?:i'm|i am) (?:still |also |now )*(?:having (?:\w+ )?(?:trouble|issues?|problems?|difficult\w+|a hard time)|encountering|running into"
    r"|getting (?:this|an?|some|the) (?:\w+ )?errors?)|was (?:that|it|this) (?:an?|the) (?:\w+ ){0,2}(?:call|decision|choice|move|idea)\b"
    r"|i(?:'d| would) (?:like|love|appreciate) (?:some|any|your|help|advice|guidance)|any (?:advice|tips|ideas|suggestions|thoughts)\b"
    r"|(?:i'm|i am) looking for (?:ways|tips|advice|ideas|suggestions|guidance|help)|maybe (?:i|we|you) can"
    r"|i want to (?:make sure|ensure|know|understand|see)|i(?:'d| would) like to|please(?! always| never| don't| do not| stop| use| keep| write| no\b))\b",
    needs_before=r"(?:it(?! turn(?:s|ed) out)|that(?!'s (?:wrong|not|incorrect))|this(?! project| repo)|they|these|those|she"
    r"|he|its|his|her|their|then|there|both|also|and|but|so|(?:(?:yeah|yes|yep|well|actually),? )*(?:i|we)(?:'(?:ve|m|d|re))? (?:\w+ ){0,2}?"
    r"\w+ (?:it|them|him|her)(?! (?:turned|would|is|was|takes?|when|that|if)\b)(?= |\W*\Z))(?!\w)",
)
