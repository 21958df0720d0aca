/* UTF-8 that ends where memory does, and text that has no room but for its characters: whoever reads or writes
 * one byte more is ended by the system. Prints what is wrong, and returns how many things are.
 */
#include "packed_chars.h"
#include <stdio.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

static int wrong;

/* Memory with a page behind it that nobody may touch. */
struct Guarded {
    uint8_t *end;

    Guarded() {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        void *made = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (made == MAP_FAILED || mprotect((uint8_t *)made + page, page, PROT_NONE)) {
            puts("there is no memory");
            _exit(1);
        }
        end = (uint8_t *)made + page;
    }
};

/* One character after the other; false if they are not UTF-8. */
static bool read_all(const std::string &text, std::vector<uint32_t> *chars) {
    for (size_t i = 0, taken; i < text.size(); i += taken) {
        uint32_t code = (uint8_t)text[i];
        taken = code < 0x80 ? 1 : read_char((const uint8_t *)text.data() + i, text.size() - i, &code);
        if (!taken) return false;
        chars->push_back(code);
    }
    return true;
}

template <class Char> static bool is_equal(const std::vector<uint32_t> &chars, const uint8_t *written) {
    for (size_t i = 0; i < chars.size(); i++)
        if (((const Char *)written)[i] != chars[i]) return false;
    return true;
}

typedef bool (*Writer)(const uint8_t *, size_t, int, void *, size_t);

static void check(const std::string &text, Writer write) {
    static Guarded from, to;
    const uint8_t *bytes = (const uint8_t *)memcpy(from.end - text.size(), text.data(), text.size());
    std::vector<uint32_t> chars;
    const bool expected = read_all(text, &chars);
    uint8_t most;
    const size_t number = look_at_bytes(bytes, text.size(), &most);
    const int kind = most < 0xC4 ? 1 : most < 0xF0 ? 2 : 4;
    uint8_t *room = to.end - number * kind;
    const bool found = write(bytes, text.size(), kind, room, number);
    if (found == expected
        && (!found || (number == chars.size()
                       && (kind == 1 ? is_equal<uint8_t>(chars, room)
                           : kind == 2 ? is_equal<uint16_t>(chars, room) : is_equal<uint32_t>(chars, room)))))
        return;
    printf("wrong:");
    for (uint8_t byte : text) printf(" %02x", byte);
    puts("");
    wrong++;
}

static void check(const std::string &text) {
    check(text, write_text);
    check(text, write_packed_text);
}

int main() {
    /* Characters of all lengths, the same without their last bytes, and a byte that begins none. */
    const std::string parts[] = {"a", "\xC3\xA9", "\xD1\x8F", "\xE8\xAA\x9E", "\xF0\x9F\x99\x82",
                                 "\xD1", "\xE8", "\xE8\xAA", "\xF0\x9F", "\xF0\x9F\x99", "\x80"};
    for (size_t before : {0, 1, 15, 16, 17}) {
        std::vector<std::string> texts = {std::string(before, 'b')};
        for (size_t i = 0; i < texts.size(); i++) {
            check(texts[i]);
            if (texts.size() > 20000) continue;
            for (const std::string &part : parts) texts.push_back(texts[i] + part);
        }
        for (const std::string &part : parts)  /* rows, which are written several at a time */
            for (const std::string &last : parts) {
                std::string row(before, 'b');
                for (int i = 0; i < 12; i++, row += part) check(row), check(row + last);
            }
    }
    /* Steps of 64 bytes: what is at their ends, and every byte after every first byte. */
    for (const std::string &part : parts)
        for (const std::string &last : parts)
            for (size_t before = 56; before < 72; before++)
                for (const char *after : {"", "b", "\xC3\xA9", "\xE8\xAA\x9E", "\xF0\x9F\x99\x82"}) {
                    std::string text = std::string(before, 'b') + part + last;
                    while (text.size() < 200) text += *after ? after : "c";
                    check(text);
                    for (int i = 0; i < 300; i++) text += "\xD1\x8F";
                    check(text);
                }
    for (const char *row : {"\xD1\x8F", "\xD1\x8F" "b", "b\xD1\x8F" "bb", "\xE8\xAA\x9E" "b"})
        for (size_t times = 1; times < 120; times++) {
            std::string text;
            for (size_t i = 0; i < times; i++) text += row;
            check(text);
        }
    for (size_t before = 0; before < 140; before++)  /* one character that isn't ASCII */
        for (size_t after = 0; after < 140; after++)
            check(std::string(before, 'b') + "\xD1\x8F" + std::string(after, 'b'));
    for (int first = 0xC0; first < 0x100; first++)
        for (int second = 0; second < 0x100; second++)
            for (size_t length = 2; length < 5; length++) {
                std::string text = "\xE8\xAA\x9E" + std::string(1, (char)first);
                text += (char)second + std::string(length - 2, '\x9E') + std::string(80, 'b');
                check(text);
                check("\xF0\x9F\x99\x82" + text);
            }
    return wrong > 100 ? 100 : wrong;
}
