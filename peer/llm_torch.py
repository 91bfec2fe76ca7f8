"""PyTorch's side of examples/llm: a model of SmolLM2-135M's shape with random weights in bf16, a static cache
of keys and values, and CUDA graphs. Prints what `nereid-llm bench --random` prints: the time of a prompt's
first token, and the tokens per second of batches that continue prompts of 64 tokens.

  llm_torch.py [--rows 1,8,128] [--prompt 512] [--tokens 200] [--cache 512] [--compile [MODE]]
"""
import argparse
import time

import torch
import torch.nn.functional as F

LAYERS, DIM, HEADS, KV, FFN, VOCABULARY, EPS, BASE = 30, 576, 9, 3, 1536, 49152, 1e-5, 1e5
SIZE = DIM // HEADS
PROMPT = 64  # tokens of the prompts that batches continue

torch.set_grad_enabled(False)


class Model:
    def __init__(self, device, cache):
        torch.manual_seed(1)

        def matrix(rows, cols):
            return (torch.randn(rows, cols, device=device) * 0.02).bfloat16()

        self.device, self.cache = device, cache
        self.embedding = matrix(VOCABULARY, DIM)
        self.norm = torch.ones(DIM, device=device, dtype=torch.bfloat16)
        self.layers = [(self.norm, matrix(DIM + 2 * KV * SIZE, DIM), matrix(DIM, DIM), self.norm,
                        matrix(2 * FFN, DIM), matrix(DIM, FFN)) for _ in range(LAYERS)]
        angle = torch.arange(cache, device=device)[:, None] * BASE ** (
            -torch.arange(SIZE // 2, device=device) * 2 / SIZE)
        self.cos, self.sin = angle.cos().bfloat16(), angle.sin().bfloat16()

    def caches(self, batch):
        shape = (LAYERS, 2, batch, KV, self.cache, SIZE)
        return torch.zeros(shape, device=self.device, dtype=torch.bfloat16)

    def rotate(self, x, cos, sin):
        a, b = x[..., : SIZE // 2], x[..., SIZE // 2 :]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def forward(self, tokens, positions, caches, last):
        """The likeliest token behind each row's last one. tokens is [batch, n]; positions, [n], are those of
        all rows. A prompt (n > 1) begins at position 0."""
        batch, n = tokens.shape
        x = F.embedding(tokens, self.embedding)
        cos, sin = self.cos[positions], self.sin[positions]
        mask = None if n > 1 else (
            torch.arange(self.cache, device=self.device) <= positions[:, None])[None, None]
        for (norm1, qkv, out, norm2, gate_up, down), cache in zip(self.layers, caches):
            h = F.linear(F.rms_norm(x, (DIM,), norm1, EPS),
                         qkv).view(batch, n, HEADS + 2 * KV, SIZE).transpose(1, 2)
            turned = self.rotate(h[:, : HEADS + KV], cos, sin)
            q, k, v = turned[:, :HEADS], turned[:, HEADS:], h[:, HEADS + KV :]
            cache[0].index_copy_(2, positions, k)
            cache[1].index_copy_(2, positions, v)
            if n > 1:
                a = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            else:
                # the heads of a group are queries of one head, with which fused kernels take a mask
                q = q.reshape(batch, KV, HEADS // KV, SIZE)
                a = F.scaled_dot_product_attention(q, cache[0], cache[1],
                                                   attn_mask=mask).reshape(batch, HEADS, 1, SIZE)
            x = x + F.linear(a.transpose(1, 2).reshape(batch, n, DIM), out)
            gate, up = F.linear(F.rms_norm(x, (DIM,), norm2, EPS), gate_up).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * up, down)
        if last:
            x = x[:, -1:]
        return F.linear(F.rms_norm(x, (DIM,), self.norm, EPS), self.embedding).float().argmax(-1)


class Graph:
    """A forward pass as a CUDA graph, or as it is on other devices."""

    def __init__(self, model, batch, n, forward):
        self.tokens = torch.zeros(batch, n, device=model.device, dtype=torch.long)
        self.positions = torch.arange(n, device=model.device)
        self.caches = model.caches(batch)

        def run():
            return forward(self.tokens, self.positions, self.caches, True)

        self.run = run
        if model.device != "cuda":
            return
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                run()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = run()

        def replay():
            graph.replay()
            return out

        self.run = replay


def median(times):
    return sorted(times)[len(times) // 2] * 1e3


def first_token(model, n, forward):
    graph = Graph(model, 1, n, forward)
    ids = (torch.arange(n) * 7919 + 1000) % VOCABULARY
    times = []
    for _ in range(50 if model.device == "cuda" else 3):
        start = time.perf_counter()
        graph.tokens.copy_(ids[None])
        graph.run().tolist()
        times.append(time.perf_counter() - start)
    print(f"first token of a {n}-token prompt: {median(times):.3f} ms (least {min(times) * 1e3:.3f})",
          flush=True)


def decode(model, batch, tokens, forward):
    graph = Graph(model, batch, 1, forward)
    ids = (torch.arange(PROMPT)[None] * 7919 + torch.arange(batch)[:, None] * 104729 + 1000) % VOCABULARY
    next = model.forward(ids.to(model.device), torch.arange(PROMPT, device=model.device), graph.caches,
                         True).tolist()
    times = []
    for i in range(tokens):
        start = time.perf_counter()
        graph.tokens.copy_(torch.tensor(next))
        graph.positions.fill_(PROMPT + i)
        next = graph.run().tolist()
        times.append(time.perf_counter() - start)
    total = sum(times)
    print(
        f"batch {batch}: {batch * tokens / total:.0f} tokens/s, a step {total * 1e3 / tokens:.3f} ms in the mean, "
        f"{median(times):.3f} median, {min(times) * 1e3:.3f} least", flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rows", default="1,8,128")
    p.add_argument("--prompt", type=int, default=512)
    p.add_argument("--tokens", type=int, default=200)
    p.add_argument("--cache", type=int, default=512, help="positions of the static cache")
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument("--compile", nargs="?", const="default", metavar="MODE",
                   help="by torch.compile in a mode (default, max-autotune-no-cudagraphs), in the same graphs")
    a = p.parse_args()
    model = Model(a.device, max(a.cache, a.prompt, PROMPT + a.tokens))
    forward = torch.compile(model.forward, dynamic=False, mode=a.compile) if a.compile else model.forward
    how = f", compiled ({a.compile})" if a.compile else ""
    print(f"PyTorch {torch.__version__}{how}, bf16 on {a.device}", flush=True)
    if a.prompt:
        first_token(model, a.prompt, forward)
    for n in a.rows.split(","):
        decode(model, int(n), a.tokens, forward)


if __name__ == "__main__":
    main()
