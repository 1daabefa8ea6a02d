"""Texts of every kind that conversations hold, made by rule."""

import random

from memoryd_actors.ports.embedder import Vectors

SENTENCES = {
    "english": "The login test fails at midnight because the token expiry is computed in local time",
    "german": "Die Straße war übermäßig voll, und der Bäcker öffnete trotzdem pünktlich um fünf",
    "french": "L'été dernier, où êtes-vous allés ? Ça coûtait déjà très cher à Nîmes",
    "chinese": "请把数据库迁移到新的服务器上。然后重新运行所有的测试",
    "arabic": "يرجى التحقق من سجل الأخطاء قبل إعادة تشغيل الخادم",
    "emoji": "🎉 shipped it 🚀🚀 but 🐛 remain 👩‍👩‍👧 ¯\\_(ツ)_/¯",
    "code": "def expiry(now: datetime) -> int:\n    return int((now + timedelta(hours=1)).timestamp())  # UTC",
    "log": "2024-11-03T00:00:01Z ERROR [auth.py:42] TokenExpired(user_id=7f3a, delta=-3600s)",
    "path": "C:\\Users\\me\\src\\app\\__init__.py /usr/lib/x86_64-linux-gnu/libfoo.so.1.2.3",
    "numbers": "3.14159 1,000,000 0xdeadbeef 1e-12 50% $4.20 +49-30-1234567",
}
ODD = [
    "",
    " ",
    "\n\t",
    ".",
    "a",
    "?!",
    "[PAD] [CLS] [SEP]",
    "\x00null\x00",
    "e\u0301te\u0301",
    "word " * 2000,
    "x" * 5000,
    "ﬁ ½ Å",
]


def varied_texts() -> list[str]:
    """Return 232 texts: every kind at every length, mixtures, and what is odd."""
    chance = random.Random(7)
    texts = list(ODD)
    for sentence in SENTENCES.values():
        words = sentence.split(" ")
        texts += [" ".join(chance.choices(words, k=length)) for length in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 250, 500)]
    for _ in range(100):
        kinds = chance.choices(list(SENTENCES.values()), k=chance.randint(2, 5))
        texts.append(chance.choice([" ", "\n", " -- "]).join(kinds))
    return texts


def cosines(left: Vectors, right: Vectors) -> list[float]:
    """Return the cosine of each pair of rows."""
    return [float(each) for each in (left * right).sum(axis=1)]
