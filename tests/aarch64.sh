#!/usr/bin/env bash
# Compile the package for aarch64 and run it there, by an emulator: the same digests of counts, merges,
# ids and files as here, by all paths of the scanner; and tests, if some are named.
#
#     apt install g++-aarch64-linux-gnu qemu-user-static
#     tests/aarch64.sh [what pytest is to run]
#
# On Debian or what descends from it, with Cython, setuptools and pip (PYTHON names the interpreter).
# Python for the other machine comes as Debian's packages, which are unpacked in a folder and not
# installed: $CS336_BPE_AARCH64 (default: in /tmp), which is kept and used again. The emulator runs
# one program and none that it starts, so tests that start processes can't be run.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
room=${CS336_BPE_AARCH64:-/tmp/cs336_bpe_aarch64}
root=$room/root
mkdir -p "$room"
room=$(cd "$room" && pwd)

unpack() {  # Python and what the package needs
    mkdir -p "$room"/apt/{state/lists/partial,cache/archives/partial} "$room/debs" "$root"
    : >"$room/apt/state/status"
    cat >"$room/apt/conf" <<END
APT::Architecture "arm64";
APT::Architectures {"arm64";};
APT::Sandbox::User "root";
Dir::State "$room/apt/state";
Dir::State::status "$room/apt/state/status";
Dir::Cache "$room/apt/cache";
END
    export APT_CONFIG="$room/apt/conf"
    apt-get -qq update
    cd "$room/debs"
    local names
    names=$(apt-get install -s --no-install-recommends python3-numpy python3-regex python3-tqdm \
        python3-sortedcontainers libpython3-dev libstdc++6 | awk '/^Inst/ {print $2}')
    # shellcheck disable=SC2086  # they are many
    apt-get -qq download $names
    for package in *.deb; do dpkg-deb -x "$package" "$root"; done
    cd - >/dev/null
    unset APT_CONFIG
}

[ -e "$room/unpacked" ] || { unpack; touch "$room/unpacked"; }
version=$(basename "$(readlink -f "$root/usr/bin/python3")")  # python3.11
libraries=/usr/lib/aarch64-linux-gnu
there() (  # not from the checkout, where its own modules are
    cd "$room/copy"
    qemu-aarch64-static -L "$root" -E LD_LIBRARY_PATH="$libraries/blas:$libraries/lapack" \
        -E PYTHONPATH="$room/copy:$room/pure" -E PYTHONDONTWRITEBYTECODE=1 \
        "$root/usr/bin/$version" "$@"
)

mkdir -p "$room/copy"
tar --exclude=.git --exclude=build --exclude='.venv*' --exclude='*.so' --exclude='*.egg-info' \
    --exclude='cs336_bpe/*/*.c' --exclude='cs336_bpe/*/*.cpp' -cf - . | tar -xf - -C "$room/copy"
cache=$(command -v ccache || true)
headers="-I$root/usr/include/$version -idirafter $root/usr/include"  # the second for pyconfig.h
(cd "$room/copy" && CC="$cache aarch64-linux-gnu-gcc" CXX="$cache aarch64-linux-gnu-g++" \
    LDSHARED="aarch64-linux-gnu-gcc -shared" LDCXXSHARED="aarch64-linux-gnu-g++ -shared" \
    CFLAGS="$headers" CXXFLAGS="$headers" SETUPTOOLS_EXT_SUFFIX=.so \
    "$python" setup.py -q build_ext --inplace --build-temp "$room/temp")
there -c "import platform, sys; print('there:', platform.machine(), 'Python', sys.version.split()[0])
from cs336_bpe.native.scan import scanner_paths; print('paths of the scanner:', *scanner_paths())"
there "$room/copy/tests/fuzz/digests.py" >"$room/there"
"$python" tests/fuzz/digests.py >"$room/here"
cmp "$room/here" "$room/there" || { diff "$room/here" "$room/there"; exit 1; }
echo "digests: $(wc -l <"$room/there"), the same as here"
if [ $# = 0 ]; then exit; fi
"$python" -m pip install -q --upgrade --no-deps --target "$room/pure" --only-binary :all: \
    --platform any --python-version "${version#python}" attrs "hypothesis<6.140" iniconfig packaging \
    pluggy py-cpuinfo pygments pytest pytest-benchmark
there -m pytest -q -p no:cacheprovider "$@" | tee "$room/tests"
"$python" tests/save_installed.py "$(there -c 'import platform; print(platform.python_version())')" \
    aarch64 emulated 0 "$(tail -1 "$room/tests")"
