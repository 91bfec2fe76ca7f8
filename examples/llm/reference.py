"""Writes what the tests compare with, from the same weights by other means: NumPy for the model, Hugging
Face's `tokenizers` for the tokens, Jinja2 for the chat template. Needs gguf, numpy, tokenizers and jinja2
from PyPI.

    python reference.py MODEL.gguf FOLDER

tokens.json     10,000 texts and their tokens
chat.json       conversations, and what the template in the file makes of them
reference.json  20 prompts with 64 tokens that follow, and the perplexity of a text
logits.npy      the logits behind each prompt, [20, vocabulary], of fp32
"""
import json
import os
import random
import sys

import gguf
import jinja2
import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

PROMPTS = [
    "The capital of France is", "Once upon a time", "def fibonacci(n):", "The three primary colors are",
    "Water boils at", "import numpy as np\n", "Dear Sir or Madam,", "In 1969, the first", "2 + 2 =",
    "The largest planet in the solar system is", "Roses are red,", "#include <stdio.h>\n",
    "To make bread you need", "Photosynthesis is the process", "Q: What is a prime number?\nA:",
    "The quick brown fox", "SELECT name FROM", "She opened the door and", "A triangle has",
    "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n",
]
TEXT = """A compiler reads a program in one language and writes the same program in another. The first one that
people called by this name translated formulas into the instructions of a machine in the early 1950s, and most of
those who programmed at the time did not believe that it could write code as good as theirs. It took a few years and
a great deal of work to convince them. Today nobody remembers that there was a doubt. A modern compiler moves
computations out of loops, keeps values in registers, replaces divisions by multiplications, and computes several
elements at once where the machine has instructions for it. It does so without changing what the program means, which
is the difficult part: every step has to be right for every program that anybody will ever write. When the machines
changed, and graphics cards with thousands of threads came, the work began again. A matrix product on such a card
reads its operands in tiles, and each tile goes through several kinds of memory before it is multiplied. A good order
of these steps can be ten times as fast as a bad one. People wrote such kernels by hand, then in languages that look
like Python, and compilers learned to choose layouts, to overlap copies with products, and to use the units that
multiply small matrices in one instruction."""


class Model:
    """Llama in NumPy, fp32, one sequence."""

    def __init__(self, reader):
        meta = {k: f.contents() for k, f in reader.fields.items()}
        self.layers, self.dim = meta["llama.block_count"], meta["llama.embedding_length"]
        self.heads, self.kv = meta["llama.attention.head_count"], meta["llama.attention.head_count_kv"]
        self.size, self.eps = self.dim // self.heads, meta["llama.attention.layer_norm_rms_epsilon"]
        self.base = meta["llama.rope.freq_base"]
        self.w = {t.name: gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float32)
                  for t in reader.tensors}

    def norm(self, x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps) * self.w[name + ".weight"]

    def rope(self, x, start):
        half = self.size // 2
        angle = (start + np.arange(x.shape[0]))[:, None] * self.base ** (-np.arange(half) / half)
        cos, sin = np.cos(angle)[:, None].astype(np.float32), np.sin(angle)[:, None].astype(np.float32)
        out = np.empty_like(x)
        out[..., ::2] = x[..., ::2] * cos - x[..., 1::2] * sin
        out[..., 1::2] = x[..., ::2] * sin + x[..., 1::2] * cos
        return out

    def attend(self, q, k, v, cache):
        """Attention of the newest tokens of a sequence, whose earlier keys and values are in the cache."""
        n, start = len(q), len(cache[0]) if cache else 0
        q, k = self.rope(q, start), self.rope(k, start)
        if cache:
            k, v = np.concatenate([cache[0], k]), np.concatenate([cache[1], v])
        cache[:] = [k, v]
        k, v = np.repeat(k, self.heads // self.kv, 1), np.repeat(v, self.heads // self.kv, 1)
        score = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(self.size)
        score[:, np.arange(len(k))[None, :] > (start + np.arange(n))[:, None]] = -np.inf
        p = np.exp(score - score.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        return np.einsum("hqk,khd->qhd", p, v).reshape(n, self.dim)

    def forward(self, texts, caches):
        """The logits behind each token of several sequences. A cache has a list for each layer."""
        ends = np.cumsum([len(ids) for ids in texts])
        parts = [slice(end - len(ids), end) for ids, end in zip(texts, ends)]
        x = self.w["token_embd.weight"][np.concatenate(texts)]
        for i in range(self.layers):
            w = lambda name: self.w[f"blk.{i}.{name}.weight"].T  # noqa: E731
            h = self.norm(x, f"blk.{i}.attn_norm")
            q = (h @ w("attn_q")).reshape(-1, self.heads, self.size)
            k = (h @ w("attn_k")).reshape(-1, self.kv, self.size)
            v = (h @ w("attn_v")).reshape(-1, self.kv, self.size)
            a = np.concatenate([self.attend(q[p], k[p], v[p], c[i]) for p, c in zip(parts, caches)])
            x = x + a @ w("attn_output")
            h = self.norm(x, f"blk.{i}.ffn_norm")
            gate = h @ w("ffn_gate")
            x = x + (gate / (1 + np.exp(-gate)) * (h @ w("ffn_up"))) @ w("ffn_down")
        logits = self.norm(x, "output_norm") @ self.w.get("output.weight", self.w["token_embd.weight"]).T
        return [logits[p] for p in parts]

    def caches(self, n):
        return [[[] for _ in range(self.layers)] for _ in range(n)]


def tokenizer(reader):
    names = reader.fields["tokenizer.ggml.tokens"].contents()
    kinds = reader.fields["tokenizer.ggml.token_type"].contents()
    merges = [tuple(m.split(" ")) for m in reader.fields["tokenizer.ggml.merges"].contents()]
    t = Tokenizer(models.BPE(vocab={x: i for i, x in enumerate(names)}, merges=merges))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                               pre_tokenizers.ByteLevel(add_prefix_space=False,
                                                                        use_regex=True)])
    special = [x for x, kind in zip(names, kinds) if kind == 3]
    return t, special


def texts(rng, count):
    """Texts of five kinds: English, letters of many scripts, spaces and digits, words, long words."""
    words = TEXT.split(" ")
    ranges = [(32, 127), (0, 0x250), (0x370, 0x600), (0x900, 0xE00), (0x2000, 0x2100), (0x3000, 0x9FFF),
              (0x1F300, 0x1F700)]
    bits = [" ", "  ", "\n", "\t", "'s", "'re", "a", "Zz", "12", "7", "!", "--", "é", "\u00a0", "日本"]
    for i in range(count):
        kind, n = i % 5, rng.randrange(1, 60)
        if kind == 0:
            at = rng.randrange(len(TEXT))
            yield TEXT[at:at + 5 * n]
        elif kind == 1:
            yield "".join(chr(rng.randrange(*rng.choice(ranges))) for _ in range(n))
        elif kind == 2:
            yield "".join(rng.choice(bits) for _ in range(n))
        elif kind == 3:
            yield " ".join(rng.choice(words) for _ in range(n))
        else:
            yield "".join(rng.choice("abcdeinorst") for _ in range(n))


def chats(reader):
    template = jinja2.Template(reader.fields["tokenizer.chat_template"].contents())
    user = {"role": "user", "content": "Hello!\nHow are you?"}
    system = {"role": "system", "content": "Answer in one word."}
    reply = {"role": "assistant", "content": "Fine."}
    for messages in [user], [system, user], [system, user, reply, user], [user, reply, user]:
        yield {"messages": messages, "text": template.render(messages=messages, add_generation_prompt=True)}


def main(path, folder):
    reader = gguf.GGUFReader(path)
    t, special = tokenizer(reader)

    def write(name, value):
        with open(os.path.join(folder, name), "w") as f:
            json.dump(value, f)

    write("tokens.json", [{"text": s, "ids": t.encode(s).ids} for s in texts(random.Random(1), 10000)])
    write("chat.json", list(chats(reader)))
    t.add_special_tokens(special)
    model = Model(reader)
    prompts, caches = [t.encode(p).ids for p in PROMPTS], model.caches(len(PROMPTS))
    logits = [x[-1] for x in model.forward(prompts, caches)]
    np.save(os.path.join(folder, "logits.npy"), np.array(logits, np.float32))
    follow = [[] for _ in PROMPTS]
    for _ in range(64):
        for ids, x in zip(follow, logits):
            ids.append(int(x.argmax()))
        logits = [x[-1] for x in model.forward([ids[-1:] for ids in follow], caches)]
    cases = [{"ids": a, "follow": b, "text": t.decode(a + b)} for a, b in zip(prompts, follow)]
    ids = t.encode(TEXT.replace("\n", " ")).ids
    logits = model.forward([ids], model.caches(1))[0].astype(np.float64)
    peak = logits.max(-1)
    loss = peak + np.log(np.exp(logits - peak[:, None]).sum(-1))
    loss = (loss[:-1] - logits[np.arange(len(ids) - 1), ids[1:]]).mean()
    write("reference.json", {"cases": cases, "ids": ids, "perplexity": float(np.exp(loss))})
    print(f"{len(cases)} prompts, {len(ids)} tokens of perplexity {np.exp(loss):.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
