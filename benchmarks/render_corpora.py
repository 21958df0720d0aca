"""The tables of docs/corpora/generated.md; see render.py."""

from rendering import load, source, table

TOPS = (10, 100, 1_000, 10_000)


def fitted_corpora(kind):
    """Growth, then shares; a cell is "real / generated"."""
    result = load("fit", "corpora")
    one = result["corpora"][kind]
    rows = list(zip(one["sizes"], one["real"], one["generated"]))

    def both(real, made, key, form):
        return " / ".join(form.format(row[key]) for row in (real, made))

    grown = [[f"{size / 1e6:.4g}", both(real, made, "distinct", "{:,}"),
              f"{made['distinct'] / real['distinct'] - 1:+.1%}",
              both(real, made, "bytes_per_pretoken", "{:.2f}"),
              both(real, made, "bytes_per_distinct", "{:.2f}"),
              both(real, made, "byte_pairs", "{:,}")] for size, real, made in rows]
    shares = [[f"{size / 1e6:.4g}", *(both(real, made, f"top_{top}", "{:.1%}") for top in TOPS),
               both(real, made, "once", "{:.1%}")] for size, real, made in rows]
    return "\n".join([
        table(["MB", "distinct pretokens", "difference", "bytes per pretoken",
               "bytes per distinct pretoken", "byte pairs"], grown, left=0), "",
        table(["MB", *(f"top {top:,}" for top in TOPS), "distinct pretokens seen once"], shares,
              left=0), "", source(result)])


MAKERS = (fitted_corpora,)
