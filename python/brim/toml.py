"""Values and tables as TOML text."""
import json
import math
import numbers

import numpy as np


def value(v):
    """One value. Numpy's numbers and arrays are written as numbers and lists."""
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, numbers.Integral):
        return str(int(v))
    if isinstance(v, numbers.Real):
        v = float(v)
        return repr(v) if math.isfinite(v) else ("nan" if math.isnan(v) else ("inf" if v > 0 else "-inf"))
    if isinstance(v, str):
        return json.dumps(v, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(v, np.ndarray):
        return value(v.tolist())
    if hasattr(v, "items"):
        return "{" + ", ".join(f"{k} = {value(x)}" for k, x in v.items()) + "}"
    if isinstance(v, (list, tuple)) or hasattr(v, "__iter__"):
        return "[" + ", ".join(value(x) for x in v) + "]"
    raise TypeError(f"a scene has no value of type {type(v).__name__}: {v!r}")


def document(tree, is_list, lines, path="", where=""):
    """Appends the lines of a tree of tables, each with the path of its value. `is_list(path)` tells which lists are tables, [[...]]."""
    below = {k: v for k, v in tree.items() if hasattr(v, "items") or is_list(path + k)}
    for k, v in tree.items():
        if k not in below:
            lines.append((f"{k} = {value(v)}", where + k))
    for k, v in below.items():
        if hasattr(v, "items"):
            lines += [("", ""), (f"[{path}{k}]", where + k)]
            document(v, is_list, lines, f"{path}{k}.", f"{where}{k}.")
            continue
        for i, item in enumerate(v):
            at = f"{where}{k}[{i}]"
            if not hasattr(item, "items"):
                raise TypeError(f"{at} must be a table, for instance a dict; it is {item!r}")
            lines += [("", ""), (f"[[{path}{k}]]", at)]
            document(item, is_list, lines, f"{path}{k}.", f"{at}.")
