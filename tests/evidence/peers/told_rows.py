"""What a peer that models rows of numbers keeps: those that it was told, and those that are open."""


class ToldRows:
    """A peer whose suggest() returns (a configuration, the row of numbers that stands for it)."""

    def __init__(self):
        self._rows, self._values = [], []  # Values are to be maximised.
        self._open = []                    # Pairs that suggest() returned.

    def ask(self):
        self._open.append(self.suggest())
        return self._open[-1][0]

    def tell(self, configuration, loss):
        place = next(i for i, (known, _) in enumerate(self._open) if known is configuration)
        self._rows.append(self._open.pop(place)[1])
        self._values.append(-loss)
