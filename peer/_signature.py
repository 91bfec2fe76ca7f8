"""Signatures of kernels, for the programs here that ask Triton."""


def split(text):
    """The entries of a signature: cut at commas that are in no bracket and no string."""
    parts, depth, quote, cur = [], 0, "", ""
    for ch in text:
        if quote:
            quote = "" if ch == quote else quote
        elif ch in "\"'":
            quote = ch
        else:
            depth += (ch in "([<") - (ch in ")]>")
        if ch == "," and not depth and not quote:
            parts.append(cur.strip())
            cur = ""
        else:
            cur += ch
    return [p for p in parts + [cur.strip()] if p]
