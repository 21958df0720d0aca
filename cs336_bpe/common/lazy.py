"""Attributes that are computed when somebody asks for them.

`functools.cached_property` does that too. But before Python 3.12 it holds a lock while it computes,
one for all objects of a class. If another thread forks meanwhile, the child has the lock and not
the thread that would let go of it, and waits for ever.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class lazy(Generic[Value]):
    """A method that becomes an attribute when it is first asked for.

    Two threads that ask at the same time may both compute it. Both get what the first one made.

    >>> class Text:
    ...     def __init__(self, text):
    ...         self.text = text
    ...     @lazy
    ...     def words(self):
    ...         print("splitting")
    ...         return self.text.split()
    >>> text = Text("low lower")
    >>> text.words, text.words
    splitting
    (['low', 'lower'], ['low', 'lower'])
    """

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self.make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "lazy[Value]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> "lazy[Value] | Value":
        if instance is None:
            return self
        # Python asks us only if the object's dictionary has nothing under this name.
        value: Value = vars(instance).setdefault(self.name, self.make(instance))
        return value
