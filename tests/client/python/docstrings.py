"""The examples in docstrings, as tests."""

import doctest


def try_examples(test, module, names=None):
    """The module's examples do what they say; returns how many there are."""
    result = doctest.testmod(module, extraglobs=names, verbose=False,
                             optionflags=doctest.ELLIPSIS)
    test.assertEqual(result.failed, 0, module.__name__)
    return result.attempted
