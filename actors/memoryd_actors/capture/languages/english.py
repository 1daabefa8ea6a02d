"""English."""

from memoryd_actors.capture.languages.language import Instructions, Language, Requests, Wordings

_FROM_NOW_ON = r"from now on|going forward|in (?:the )?future"
_THIS = r"(?:this|that|it|these|those|all (?:of )?(?:this|that)|what i(?:'ve| have)? (?:just )?(?:said|told you))"
_MEMORY = r"(?: (?:to|in|into) (?:your |the |long[- ]term )?memory| as a memory)"
_WHEN_EN = (
    r"(?: (?:for (?:later|next time|good|me|the (?:future|next (?:time|session|conversation))|future (?:sessions?"
    r"|reference|"
    r"conversations?|chats?|use))|from now on|in (?:the )?future|everywhere|globally|always|please|too|also|as well"
    r"|forever|(?:in|for|across) all (?:of )?(?:my |our |the )?projects|for this project|in mind|then|ok|okay|thanks"
    r"|thank you),?)*"
)
_NO_TIME = r"(?!(?:time|day|night|one|year|summer|guy|song|movie|film|moment|thing|feeling|morning|evening|trip)\b)"
_PRESENT = (
    r"(?:is|are|am|has|have|uses?|prefers?|likes?|loves?|hates?|wants?|needs?|must|should|shall|deploys?|lives?|works?"
    r"|runs?|starts?|means?|belongs?|expires?|goes|go|always|never|only|can|cannot|can't|don't|doesn't|isn't|aren't|i'm"
    r"|we're|it's)"
)


_REQUESTS = Requests(
    lead=r"ok|okay|oh|hey|hi|hello|also|and|so|now|then|great|thanks|thank you|perfect|cool|good|yes|yeah|no|nope"
    r"|actually"
    r"|wrong|well|right|btw|by the way|fyi|important|one more thing|claude|assistant|that's wrong|that is wrong"
    r"|not quite",
    please=r"(?:(?:can|could|would|will) you (?:please )?(?:also )?(?:always )?|(?:please|plz|pls),? (?:also )?(?:always )?|always "
    r"|i(?:'d| would) like you to |i (?:want|need) you to |you (?:should|must|have to|need to) |make sure (?:to|you) "
    r"|let's |be sure to )?",
    asks=r"(?:can|could|would|will) you ",
    after=(
        rf"(?:remember|memori[sz]e|keep in mind|bear in mind|make a (?:mental )?note|take (?:a )?note"
        rf"|don't (?:ever )?forget"
        rf"|do not (?:ever )?forget|never forget){_WHEN_EN} (?:the fact )?that {_NO_TIME}(?=\S+ \S)",
        rf"(?:remember|memori[sz]e|keep in mind|bear in mind|make a (?:mental )?note(?: of)?|take (?:a )?note(?: of)?"
        rf"|(?:don't|do not|never) forget|note to self|save|store|note)(?: to memory)?{_WHEN_EN}"
        rf"(?: (?:this|these|the following|that)(?: \w+){{0,3}})?{_WHEN_EN}{_MEMORY}?{_WHEN_EN} ?:(?!//)",
        rf"(?:save|store|add){_MEMORY}(?: that|,| ?:) (?=\S+ \S)",
        rf"(?:save|store|add|put) (?:this|that|the following){_MEMORY}{_WHEN_EN} ?: (?=\S+ \S)",
        r"(?:save|store|add|put) (?:this|that|the following) (?:to|in|into) your (?:long[- ]term )?memory"
        r" [\u2013\u2014-] (?=\S+ \S)",
        rf"(?:keep|bear) (?:this|that|the following) in mind{_WHEN_EN} ?:(?!//)",
        rf"remember (?:this|the following){_WHEN_EN}(?: please)? [\u2013\u2014-] (?=\S+ \S)",
        r"for future reference ?[,:] (?=\S+ \S+ \S)",
        rf"remember{_WHEN_EN},? (?:to )?(?=(?:always|never|from now on)\b)",
        rf"(?:remember|keep in mind|bear in mind){_WHEN_EN} (?=(?:i|i'm|we|we're|my|our) (?:.{{1,80}}? )?{_PRESENT}\b)",
        r"remember (?=(?:i'm|im|i am|i've|we're|we've) \S+ ?\S)",
        rf"remember, (?=(?:the|our|my|this|all|every|no) (?:.{{1,80}}? ){_PRESENT}\b)",
        r"(?:for (?:future reference|the record|next time"
        r"|the future)),? (?:please )?remember(?: that)? (?=\S+ \S+ \S)",
    ),
    points=(
        rf"(?:remember|memori[sz]e){_WHEN_EN} {_THIS}",
        rf"(?:save|store|keep|add|put|commit) {_THIS}{_MEMORY}",
        rf"(?:save|store) {_THIS}",
        rf"keep {_THIS} in mind|bear {_THIS} in mind|keep in mind|make a (?:mental )?note of {_THIS}",
        rf"(?:don't|do not|never) forget {_THIS}",
    ),
    tail=_WHEN_EN,
    joins=r"(?:[,;\u2013\u2014-]|\band|\bso|\bplease)",
    urges=r"please|for (?:later|next time|the future|me)",
    refers="it|its|they|their|this|that|these|those|he|she",
    stems=("rememb", "memori", "mind", "forget", "note ", "note:", "save", "store", "memory", "future reference"),
)
_INSTRUCTIONS = Instructions(
    verbs="""add address annotate answer apply ask assume avoid begin call check cite commit compile confirm convert
        create declare define delete document edit ensure explain export fix format give highlight import include
        indent install keep lint list log maintain mark mention merge modify name omit open order output prefer present
        print prioritise prioritize propose prove provide push put quote read refer reply report respond return review
        round run send show sign speak specify split squash start state suggest summarise summarize tailor test
        translate treat type update use validate verify wrap write""",
    forms=(
        r"(?:you|from now on,? you) (?:must|should|have to|need to) (?:always|never) VERB",
        # `Never read that book before` is a past that looks like an instruction.
        rf"(?!(?:never|always) (?:read|put)\b.{{0,60}}\b(?:before|until|so)\b)(?:please )?(?:always|never|{_FROM_NOW_ON})"
        r"\b[\s,:]*(?:please |always |never |don't |do not |also |only )*VERB",
        r"(?:please )?VERB (?:[^\s.!?,;:]+ ){1,8}(?:from now on|going forward|by default)\b",
    ),
    idle="""it this that these those them so again up yes no hello hi sorry thanks please now here there enough away
        out me you first never always""",
)
_WORDINGS = Wordings(
    corrects=r"no|nope|wrong|incorrect|that(?:'s| is)(?: not| n't)? (?:wrong|incorrect|right|correct|true)|not quite"
    r"|actually|correction",
    corrects_alone="actually",
    from_now_on=_FROM_NOW_ON,
    rules=(
        r"(?:please |to )?(?:always|never|whenever)\b",
        r"you\b.{0,60}?\b(?:must|should|always|never|may not|have to|need to)\b",
        r"(?:do not|don't) (?!know|have|like|want|think|care)\w+",
    ),
    prefers=r"(?:i|we)(?:'d)? (?:\w+ )?(?:prefer|like|love|hate|dislike|want|can't stand|would rather)\b"
    r"|(?:i|we)'d rather\b|(?:i|we) (?:don't|do not) (?:like|want)\b|(?:my|our) (?:favou?rite|preference|preferred)",
    everywhere="(?:in|for|across) all (?:of )?(?:my |our |the )?projects|in every project",
    everywhere_asked="everywhere|globally",
)

ENGLISH = Language("en", _REQUESTS, _INSTRUCTIONS, _WORDINGS)
