#!/usr/bin/env bash
# Build the sdist and, from it, a wheel for each Python; install that in a fresh environment; and run
# a core of the tests from there, far from the checkout. All must print the same digests of results.
#
#     tests/installed.sh python3.10 python3.13            # by default: python3
#     tests/installed.sh --all python3.12                 # the whole suite, not only a core of it;
#                                                         # --few: a few files of it
#     tests/installed.sh python3 --no-compiler python3    # and the same where nothing is compiled
#     tests/installed.sh --save python3.10 python3.13     # for the table in docs/installing.md
#
# An option holds for the Pythons after it. `CC="ccache gcc" CXX="ccache g++"` saves time.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- python3

fail() { echo "$*" >&2; exit 1; }
here=$PWD/tests

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

# From a copy: the checkout may have been built, and another build may be running.
mkdir "$room/copy"
tar --exclude=.git --exclude=build --exclude='.venv*' --exclude='*.so' --exclude='*.egg-info' -cf - . |
    tar -xf - -C "$room/copy"
rm -f "$room"/copy/cs336_bpe/*/*.c "$room"/copy/cs336_bpe/*/*.cpp

make_sdist() {
    "$1" -m venv "$room/build"
    "$room/build/bin/pip" install --quiet build
    "$room/build/bin/python" -m build --sdist --outdir "$room" "$room/copy" >"$room/log" 2>&1 ||
        fail "$(tail -20 "$room/log")"
    sdist=$(echo "$room"/cs336_bpe-*.tar.gz)
    tar tzf "$sdist" >"$room/names"
    echo "sdist: $(wc -c <"$sdist") bytes, $(wc -l <"$room/names") files"
    grep -E '^[^/]+/cs336_bpe/.*\.(c|cpp|so)$' "$room/names" && fail "generated files are in the sdist"
    for folder in tests docs benchmarks; do
        grep -q "^[^/]*/$folder/" "$room/names" || fail "$folder is not in the sdist"
    done
}

install() {  # python
    rm -rf "$room/env" "$room/source" "$room/wheels"
    mkdir "$room/source"
    tar xzf "$sdist" -C "$room/source" --strip-components=1
    "$1" -m venv "$room/env"
    python="$room/env/bin/python"
    local start=$SECONDS
    if [ $mode = --no-compiler ]; then
        CC=/bin/false CXX=/bin/false "$python" -m pip wheel -q --no-deps -w "$room/wheels" "$sdist"
    else
        "$python" -m pip wheel -q --no-deps -w "$room/wheels" "$sdist"
    fi
    wheel=$(echo "$room"/wheels/*.whl)
    echo "wheel: $(wc -c <"$wheel") bytes, in $((SECONDS - start)) seconds"
    "$python" -m zipfile -l "$wheel" | grep -E '\.(c|cpp) ' && fail "generated files are in the wheel"
    "$python" -m pip install -q "$wheel"
}

compare_digests() {
    (cd "$room" && "$python" "$room/source/tests/fuzz/digests.py") >"$room/found"
    [ -e "$room/digests" ] || cp "$room/found" "$room/digests"
    cmp "$room/digests" "$room/found" || fail "the results differ from those of the first Python"
    echo "digests: $(wc -l <"$room/found"), the same"
}

# Run tests from the sdist with what was installed from the wheel: its own package is hidden.
run_tests() {
    "$python" -m pip install -q "cs336-bpe[test] @ file://$wheel"
    mv "$room/source/cs336_bpe" "$room/source/hidden"
    (cd "$room/source" && "$python" -m pytest -q -p no:cacheprovider "$@") | tee "$room/tests"
}

save_row() {  # for docs/installing.md
    [ $save = no ] || "$python" "$here/save_installed.py" \
        "$("$python" -c 'import platform; print(platform.python_version())')" "$(uname -m)" \
        "${mode#--}" "$(wc -c <"$wheel")" "$(tail -1 "$room/tests")"
}

mode=--core
save=no
for argument in "$@"; do
    case $argument in
        --core | --few | --all | --no-compiler) mode=$argument; continue ;;
        --save) save=yes; continue ;;
        -*) fail "there is no option $argument" ;;
    esac
    [ -n "${sdist:-}" ] || make_sdist "$argument"
    echo "== $("$argument" --version) $mode"
    install "$argument"
    compare_digests
    case $mode in
        --no-compiler)
            (cd "$room" && "$room/env/bin/cs336-bpe" ladder --bytes 20000 --limit 1 --vocab-size 400 \
                --quiet) |
                grep "not built"
            run_tests tests/common tests/commands/test_usage.py tests/tokenizer/test_tokenizer.py
            ;;
        --all) run_tests tests docs ;;
        --few)  # what is run for each wheel that is released, too
            run_tests tests/tokenizer/test_tokenizer.py tests/train/test_equal_to_definition.py \
                tests/test_free_threading.py
            ;;
        *)
            run_tests tests/tokenizer/test_tokenizer.py tests/tokenizer/test_streams.py tests/train \
                tests/encode/test_stages_agree.py tests/decode tests/formats/test_round_trips.py \
                tests/pretokenize tests/inputs/test_forms.py tests/text
            ;;
    esac
    save_row
done
