#!/bin/bash
# Run the tests with sanitizers: address + undefined behaviour, and threads (data races).
#
#     tests/sanitize.sh address [what pytest is to run]
#     tests/sanitize.sh thread  [what pytest is to run]
#     tests/sanitize.sh address fuzz [options of python -m tests.fuzz]
#     tests/sanitize.sh address --save [...]   # one after the other, for the table in docs/reliability.md
#
# It builds a copy of the project, in $CS336_BPE_SANITIZED (default: a folder in /tmp, which is kept
# and used again), with gcc. PYTHON names the interpreter, which must have the extras test and dev.
#
# What is left out, and why:
# - process pools (stage03, the detour, "processes") and other forks: a forked child waits for ever in the
#   sanitizer's own allocator lock. That is a limit of the sanitizer with fork, not of the package.
# - limits of memory (RLIMIT_AS, "absurd"): the shadow memory of a sanitizer is larger than any.
# - what starts programs and measures their memory or time ("memory", "small", "needs_less").
# - commands, judge, measure, reproduce, exercises, pages, and the tests of docs, benchmarks, setup and
#   leaks: they start programs, measure, or run no compiled code of ours that others don't run.
# - with `thread` only tests in which threads run, because it is ten times slower; and not the one
#   that changes a text on purpose while it is encoded ("meanwhile").
set -euo pipefail
kind=${1:?address or thread}
shift
save=no
if [ "${1:-}" = --save ]; then save=yes; shift; fi
python=${PYTHON:-python}
root=$(cd "$(dirname "$0")/.." && pwd)
copy=${CS336_BPE_SANITIZED:-/tmp/cs336_bpe_$kind}
left_out="not stage03 and not process and not pool and not detour and not absurd and not memory \
and not small and not needs_less and not control_c and not every_code_point and not killed \
and not forked and not child"

mkdir -p "$copy"
(cd "$root" && tar --exclude=.git --exclude=build --exclude='*.so' --exclude=.hypothesis -cf - .) |
    (cd "$copy" && tar -xf - --keep-newer-files 2>/dev/null || true)
cd "$copy"
if [ -x "$(command -v ccache)" ]; then export CC="ccache gcc" CXX="ccache g++"; fi
case $kind in
address)
    flag=1
    libraries="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
    what=(tests/patterns tests/native tests/decode tests/encode tests/train tests/pretokenize
          tests/tokenizer tests/formats tests/corpora tests/text tests/inputs tests/common tests/rules
          tests/model tests/cost tests/views tests/fuzz)
    ;;
thread)
    flag=thread
    libraries="$(gcc -print-file-name=libtsan.so)"
    what=(tests/text tests/tokenizer/test_threads.py tests/tokenizer/test_files.py
          tests/tokenizer/test_decode_files.py tests/tokenizer/test_shards.py
          tests/tokenizer/test_tokenizer.py tests/tokenizer/test_words.py
          tests/pretokenize/test_stages_agree.py tests/pretokenize/test_bad_input.py
          tests/inputs/test_forms.py tests/encode/test_stages_agree.py tests/train/test_flat_words.py
          tests/fuzz/test_determinism.py tests/test_free_threading.py)
    left_out="$left_out and not meanwhile and (thread or workers or crew or files or disturb or emptied or iterables \
or batches_as or from_either or shards)"
    ;;
*) echo "address or thread, not $kind" >&2; exit 2 ;;
esac
run=("$python" -m pytest -q -p no:cacheprovider --no-header -k "$left_out")
if [ "${1:-}" = fuzz ]; then
    shift
    run=("$python" -m tests.fuzz)
    what=("$@")
elif [ $# -gt 0 ]; then
    what=("$@")
fi
CS336_BPE_SANITIZE=$flag "$python" setup.py -q build_ext --inplace -j2
sanitized() {
    LD_PRELOAD="$libraries" PYTHONPATH="$copy" PYTHONMALLOC=malloc \
        ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:log_path=$copy/report" \
        UBSAN_OPTIONS="print_stacktrace=1:log_path=$copy/report" \
        TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 ignore_noninstrumented_modules=1 \
            log_path=$copy/report" "$@"
}
# pytest would keep what is written to standard error from the reader when the program ends.
rm -f "$copy"/report.*
trap 'cat "$copy"/report.* 2>/dev/null || true' EXIT
if [ $save = no ]; then
    sanitized "${run[@]}" "${what[@]}"
    exit
fi
failed=0
for one in "${what[@]}"; do
    code=0
    sanitized "${run[@]}" "$one" 2>&1 | tee "$copy/tests.log" || code=$?
    [ $code = 0 ] || failed=1
    "$python" "$root/tests/save_sanitized.py" "$kind" "$one" "$code" "$(tail -1 "$copy/tests.log")"
done
exit $failed
