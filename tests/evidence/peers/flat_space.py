"""A space as a box with a column for each parameter, whatever its condition, for models that know
no conditions: inactive parameters have values, too."""

import math


class Column:
    """One parameter: a unit interval, or finitely many numbers."""

    def __init__(self, parameter):
        self.parameter = parameter
        self.is_categorical = parameter.type == "categorical"
        self.levels = None  # Ascending; None for a double parameter.
        if parameter.values is not None:
            count = len(parameter.values)
            self._values = parameter.values
            self.levels = ([float(i) for i in range(count)]
                           if not parameter.is_ordered() else self._places(parameter))
        elif parameter.type == "integer":
            self._values = list(range(int(parameter.min), int(parameter.max) + 1))
            self.levels = self._places(parameter)
        self.low = 0.0
        self.high = self.levels[-1] if self.levels else 1.0

    def _places(self, parameter):
        """The values' places on the parameter's scale, from 0 to 1."""
        logarithmic = parameter.scale == "log" and self._values[0] > 0
        along = [math.log(value) if logarithmic else value for value in self._values]
        length = along[-1] - along[0]
        return [(place - along[0]) / length if length else 0.0 for place in along]

    def value_at(self, number):
        if self.levels is None:
            return self.parameter.at(min(max(number, 0.0), 1.0))
        return self._values[self.nearest(number)]

    def nearest(self, number):
        return min(range(len(self.levels)), key=lambda i: abs(self.levels[i] - number))

    def rounded(self, number):
        """The number of a value that there is."""
        return number if self.levels is None else self.levels[self.nearest(number)]

    def at_share(self, share):
        """A number for a uniform share: all levels are equally likely."""
        if self.levels is None:
            return share
        return self.levels[min(int(share * len(self.levels)), len(self.levels) - 1)]


class FlatSpace:
    def __init__(self, space):
        self._space = space
        self.columns = [Column(parameter) for parameter in space.parameters]

    def configuration(self, row):
        """The active part of a row of numbers."""
        return self._space.active_part({column.parameter.name: column.value_at(float(number))
                                        for column, number in zip(self.columns, row)})
