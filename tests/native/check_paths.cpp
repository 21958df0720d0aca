// Scan texts by every path that was compiled, and compare with the starts that are expected.
//
//     check_paths tables texts
//
// `tables`: the four of native/classes.py, each after its size. `texts`: again and again a text after its
// size, and for each pattern the starts after their number. All numbers are little-endian uint32.

#include <cstdio>
#include <string>
#include <vector>

#include "scan_paths.h"

struct Reader {
    std::string all;
    size_t at = 0;

    explicit Reader(const char *path) {
        std::FILE *file = std::fopen(path, "rb");
        for (int byte; file && (byte = std::getc(file)) != EOF;) all.push_back((char)byte);
        if (file) std::fclose(file);
    }
    uint32_t number() {
        uint32_t value = 0;
        for (int i = 0; i < 4; i++) value |= (uint32_t)(uint8_t)all.at(at++) << 8 * i;
        return value;
    }
    std::string bytes() {
        size_t size = number();
        at += size;
        return all.substr(at - size, size);
    }
};

int main(int, char **arguments) {
    Reader tables(arguments[1]), texts(arguments[2]);
    for (int kind : {PLAIN, CASED}) {
        std::string index = tables.bytes(), all = tables.bytes();
        fill_scan_tables(kind, index.data(), index.size(), all.data(), all.size());
    }
    size_t number = 0, wrong = 0;
    for (; texts.at < texts.all.size(); number++) {
        std::string text = texts.bytes();
        size_t size = text.size();
        text.append(SCAN_PADDING, 's');
        for (int pattern = 0; pattern < NUM_SCAN_PATTERNS; pattern++) {
            std::vector<size_t> expected(texts.number());
            for (size_t &start : expected) start = texts.number();
            for (const ScanPath &path : scan_paths) {
                if (!path.is_here()) continue;
                std::vector<size_t> found;
                size_t some[SCAN_ROOM];
                Scan scan;
                scan_begin(&scan, (const uint8_t *)text.data(), 0, size);
                while (scan.at < scan.end && !scan.invalid) {
                    size_t here = path.starts[pattern](&scan, some, SCAN_ROOM);
                    found.insert(found.end(), some, some + here);
                }
                if (found != expected || scan.invalid) {
                    std::printf("%s differs: pattern %d, text %zu\n", path.name, pattern, number);
                    wrong++;
                }
            }
        }
    }
    for (const ScanPath &path : scan_paths)
        if (path.is_here()) std::printf("%s ", path.name);
    std::printf("scanned %zu texts\n", number);
    return wrong != 0;
}
