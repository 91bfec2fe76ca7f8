"""torch.torch_version: a release that is a text and compares as a version."""
from packaging.version import InvalidVersion, Version

__all__ = ["TorchVersion"]


class TorchVersion(str):

    def _sides(self, other):
        if isinstance(other, (tuple, list)):
            other = ".".join(str(part) for part in other)
        try:
            return Version(str(self)), other if isinstance(other, Version) else Version(str(other))
        except InvalidVersion:
            return str(self), other

    def __eq__(self, other):
        a, b = self._sides(other)
        return a == b

    def __ne__(self, other):
        a, b = self._sides(other)
        return a != b

    def __lt__(self, other):
        a, b = self._sides(other)
        return a < b

    def __le__(self, other):
        a, b = self._sides(other)
        return a <= b

    def __gt__(self, other):
        a, b = self._sides(other)
        return a > b

    def __ge__(self, other):
        a, b = self._sides(other)
        return a >= b

    def __hash__(self):
        return hash(str(self))


__version__ = TorchVersion("2.11.0+cu130")
