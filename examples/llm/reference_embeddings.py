"""Writes what the tests of embeddings compare with, from the same files by other means: NumPy for the model,
Hugging Face's `tokenizers` for the tokens. Needs numpy and tokenizers from PyPI.

    python reference_embeddings.py MODEL-FOLDER FOLDER

minilm-tokens.json  5,000 texts and their tokens
minilm.json         16 texts and their vectors

    python reference_embeddings.py --cases > wordpiece/testdata/cases.json

writes a small vocabulary, and texts with their tokens in it.
"""
import json
import math
import os
import random
import struct
import sys

import numpy as np
from tokenizers import BertWordPieceTokenizer, Tokenizer

SENTENCES = [
    "This is an example sentence", "Each sentence is converted", "The capital of France is Paris.", "a",
    "Paris est la capitale de la France.", "Wie spät ist es? Es ist fünf Uhr.", "日本の首都は東京です。",
    "A compiler reads a program in one language and writes the same program in another.",
    "The cat sat on the mat.", "A feline was resting on a rug.", "Stock prices fell sharply on Monday.",
    "!!! ??? ...", "naïve café Ångström", "def add(a, b):\n    return a + b", "long " * 250,
    "It takes a few years and a great deal of work to convince people that a machine writes good code. " * 4,
]
WORDS = """the of and a in to is was for on that with as by it at from his an were are which this be or had he its not
but have one also new first two their after other been when all they has who time year people world over would into
there can more about some made only may them play ing ed s er es ly tion ness un re able ful compile program paris
cafe naive resume istanbul strasse uber kernel tensor 10 20 19 00""".split()
PIECES = [" ", "  ", "\n", "\t", "'s", "the", "The", "UNable", "played", "é", "Å", "İ", "ß", "ﬁ", "Σ", "日本",
          "東", "\u00a0", "\u200b", "\u3000", "\ufffd", "\u0301", "한국", "$", "€", "...", "—", "[SEP]",
          "[MASK]", "[sep]",
          "[", "##ing", "12", "½", "x" * 101, "😀", "\u0000", "\u202e", "가", "\ue000", "ǆ", "Ⅷ"]
RANGES = [(32, 127), (0, 0x250), (0x370, 0x600), (0x900, 0xE00), (0x1E00, 0x2100), (0x3000, 0x9FFF),
          (0xAC00, 0xD7A0), (0xF900, 0xFB10), (0x1F300, 0x1F700), (0x20000, 0x20100)]


class Model:
    """BERT in NumPy, fp32, one text."""

    def __init__(self, folder):
        with open(os.path.join(folder, "config.json")) as f:
            self.config = json.load(f)
        with open(os.path.join(folder, "model.safetensors"), "rb") as f:
            header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
            body = f.read()
        self.w = {name: np.frombuffer(body[t["data_offsets"][0]:t["data_offsets"][1]],
                                      np.float32).reshape(t["shape"])
                  for name, t in header.items() if t.get("dtype") == "F32"}

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(self.config["layer_norm_eps"]))
        return x * self.w[name + ".weight"] + self.w[name + ".bias"]

    def linear(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def layer(self, x, name):
        heads = self.config["num_attention_heads"]
        q, k, v = (
            self.linear(x, f"{name}.attention.self.{part}").reshape(len(x), heads, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value"))
        score = q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(q.shape[-1]))
        p = np.exp(score - score.max(-1, keepdims=True))
        a = (p / p.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(x), -1)
        x = self.norm(self.linear(a, name + ".attention.output.dense") + x,
                      name + ".attention.output.LayerNorm")
        h = self.linear(x, name + ".intermediate.dense")
        h = h * np.vectorize(lambda t: 0.5 * (1 + math.erf(t / math.sqrt(2))), otypes=[np.float32])(h)
        return self.norm(self.linear(h, name + ".output.dense") + x, name + ".output.LayerNorm")

    def embed(self, ids):
        e = "embeddings."
        x = (self.w[e + "word_embeddings.weight"][ids] + self.w[e + "position_embeddings.weight"][:len(ids)]
             + self.w[e + "token_type_embeddings.weight"][0])
        x = self.norm(x, e + "LayerNorm")
        for i in range(self.config["num_hidden_layers"]):
            x = self.layer(x, f"encoder.layer.{i}")
        x = x.mean(0)
        return x / np.linalg.norm(x)


def texts(rng, count):
    """Texts of four kinds: English, letters of many scripts, awkward pieces, all of these."""
    words = " ".join(SENTENCES).split()
    for i in range(count):
        n = rng.randrange(1, 40)
        makers = [lambda: rng.choice(words) + " ", lambda: chr(rng.randrange(*rng.choice(RANGES))),
                  lambda: rng.choice(PIECES)]
        yield "".join((makers[i % 4] if i % 4 < 3 else rng.choice(makers))() for _ in range(n))


def cases():
    letters = [chr(c) for c in range(33, 127) if not chr(c).isupper()] + list("ßσæøé日本東京가ᄒ")
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + letters + [x for x in WORDS if x not in letters]
    vocab += ["##" + x for x in letters + WORDS if x.isalnum() and x.isascii() and len(x) < 5]
    vocab = list(dict.fromkeys(vocab))
    t = BertWordPieceTokenizer({x: i for i, x in enumerate(vocab)}, lowercase=True)
    t.add_special_tokens(vocab[:5])
    rows = [{"text": s, "ids": t.encode(s, add_special_tokens=False).ids}
            for s in PIECES + SENTENCES[:14] + list(texts(random.Random(1), 120))]
    print('{"vocabulary": ' + json.dumps(vocab) + ',\n"cases": [\n' + ",\n".join(map(json.dumps, rows)) +
          "\n]}")


def main(path, folder):
    t = Tokenizer.from_file(os.path.join(path, "tokenizer.json"))
    t.no_padding()
    t.no_truncation()

    def write(name, value):
        with open(os.path.join(folder, name), "w") as f:
            json.dump(value, f)

    write("minilm-tokens.json", [{"text": s, "ids": t.encode(s, add_special_tokens=False).ids}
                                 for s in texts(random.Random(1), 5000)])
    model = Model(path)
    write("minilm.json", [{"text": s, "vector": [float(v) for v in model.embed(t.encode(s).ids)]}
                          for s in SENTENCES])
    print(f"vectors of {len(SENTENCES)} texts")


if __name__ == "__main__":
    cases() if sys.argv[1:] == ["--cases"] else main(*sys.argv[1:])
