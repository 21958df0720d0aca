"""The words, parts of words, gaps and lengths that `generated.py` draws from."""

# The first words of the lexicons, about in their order of frequency in real text (a fitted table
# too). All further words are made up.
STORY_WORDS = """the and a to of was in that her with he his she it had as on for they you said
their but him from day at into all not by like were is so be an time there this who up out them one
would its have upon little through where eyes could very about named when heart old began just back
saw my what been together more friends big night me went over can other felt are came around down
found world will your lived if made looked we home no help asked before knew away happy see do
seemed each even new then small hidden own loved mom something girl go did every within only sun
took off some way always or long play too find young again tree sky man didn't thought voice make
never light than which now smiled set wanted come grew while love air how place forest boy stars two
village filled house couldn't stood great take across water friend himself special our behind don't
beautiful got heard told being ever most garden life magic things wasn't face first put""".split()
WEB_WORDS = """the of and to in a is was for as that with by on from are be an at or it which his
not were this also has he have can their had but one first its been other used more all will two who
they when into such time if you only her new use after than would value some may most between then
about where over no name set example any there up number during many she years using function same
out method so being made these them three well both called known through object work while part
later each following including under became system before him data year state we people like second
type against since should film until could property because different module team list early several
now season life your do found form end city single often government series must group include
century string values support those class within code high event based four world don't""".split()
STORY_NAMES = "I She He Lily The They Tom Tim It Max Sarah Mia Leo Ben Emma Jack Anna".split()
WEB_NAMES = """The I University American New United States John World School South National He
North County War British English German French January March July It In A B C D E J M P S
T""".split()

# The parts of made-up words; a part written twice is twice as likely.
ONSET = """b b c c c d d f f g h h l l l m m m n n p p p r r r r s s s s t t t t v w w st st tr br
ch sh pl gr cl fl pr th dr sp k j""".split()
VOWEL = "a a a a e e e e e i i i i o o o o u u an en in on er er ar or al el il ea ou".split()
RHYME = """e e y y a o ee ay at at et it it on on en en in in er er ar or al el le an ap ad am ag
ack ake and ant ard ark ast ate eat eed ell end ent ess est ick ide ight ill ine ing int ip ist ock
old one ook op ore ot ound our ow un ust""".split()
FORMS = [form.split(",") for form in """,s,ed,ing ,s,er,ed ,s,y,ful ,ly,er,ness ,ing,ed,s
,s,al,ally ,ing,able,ation""".split()]  # four words of one stem
PREFIX = "un re dis over out in mis pre non inter sub under fore anti con de en trans".split()
SUFFIX = ["", "", "", "s", "s", "ed", "ing", "er", "ly", "ers", "ness", "y", "less"]
NAME_END = [""] * 20 + """a a o y ia ton son ville er land berg ie ella ham ley ian s i us field
man ez ski ov""".split()
ACCENT = str.maketrans("aeioucns", "áéíöüçñš")
SCRIPTS = [(0x430, 32), (0x430, 32), (0x3B1, 25), (0x5D0, 27), (0x628, 19), (0x3042, 80),
            (0x4E00, 16384), (0x4E00, 16384), (0xAC00, 8192)]  # fmt: skip
# (first letter, number of letters): Cyrillic, Greek, Hebrew, Arabic, Hiragana, Chinese, Hangul
MARKS = "-=*#.,:;/\\()[]{}<>|&$%@!?\"'`~^+_"
SYMBOLS = "–—…•“”’©°→×€£·\ufffd\u200b" + "".join(map(chr, range(0x2190, 0x2400)))

# fmt: off
# Octaves: of 10,000 words of a lexicon, how many have rank 1, 2-3, 4-7, 8-15, ...
STORY_LOW = (674, 712, 814, 805, 773, 810, 839, 928, 922, 870, 770, 610, 410, 200, 90, 25)
STORY_NAME = (714, 983, 1158, 742, 832, 728, 665, 665, 697, 738, 796, 721, 436, 180, 70)
WEB_LOW = (807, 775, 996, 746, 657, 566, 566, 603, 707, 781, 828, 751, 581, 365, 183, 90, 45, 22)
WEB_NAME = (368, 215, 272, 261, 356, 527, 637, 756, 827, 876, 916, 897, 818, 710, 593, 470, 370,
             350, 300, 140)
CODE_LOW = (273, 368, 516, 673, 726, 888, 986, 1001, 1032, 976, 867, 657, 459, 302, 198, 150, 110,
             60)
NUMBER = (434, 664, 907, 1052, 1103, 1328, 1293, 1130, 878, 476, 313, 240, 115, 140, 130, 100)

# Gaps per 100,000 words ("^": a sentence begins; "": some run of marks).
STORY_GAPS = {
    " ": 77500, ", ": 6318, ". ^": 3271, "'s ": 700, ".\n\n^": 1187, "\n": 500, "-": 351,
    ', "^': 287, '. "^': 280, '," ': 215, "! ^": 203, '."\n\n^': 180, " – ": 179, ".\n^": 138,
    '.\n\n"^': 137, "; ": 136, '!" ': 107, ": ": 97, '." ^': 77, '?" ': 73, '!"\n\n^': 68,
    "' ": 66, "\n\n^": 56, ",' ": 55, "? ^": 52, "!\n\n^": 50, ': "^': 49, ' "^': 49,
    ".\n\n'^": 39, '?"\n\n^': 35, ",\n": 35, ", '": 34, "’s ": 33, " (": 30, ") ": 30,
    '."\n\n"^': 30, '.\n"^': 27, ".  ^": 27, " - ": 25, "... ": 21, "'ll ": 60, "'d ": 60,
    "'m ": 60, "'re ": 50, "'ve ": 40, "": 60}
PROSE_GAPS = {
    " ": 75500, ", ": 4951, ". ^": 2645, ".\n^": 1328, "-": 1204, ' "^': 950, "'s ": 560,
    " (": 750, '" ': 421, ".": 408, ") ": 327, "/": 281, "\n": 450, "\n\n^": 300, "_": 180,
    "\n ": 330, '", ': 156, "), ": 148, "; ": 145, ": ": 134, ",": 97, '". ^': 93, "). ^": 91,
    ".\n\n^": 90, "–": 85, "' ": 75, ', "^': 71, '" (': 69, "\xa0": 57, "% ": 57, " `": 100,
    "’s ": 52, "(": 47, '".\n^': 45, "` ": 45, ").\n^": 44, ":\n^": 42, '." ^': 42, " – ": 90,
    "\n   ": 36, " '": 35, " [": 34, '("^': 31, "—": 27, " - ": 60, "\n    ": 24, "://": 21,
    " & ^": 20, '="': 20, " $": 20, "'ll ": 9, "": 700}
CODE_GAPS = {
    " ": 42000, "-": 4352, ".": 3324, "/": 3255, ", ": 2131, "_": 1894, ": ": 1390, "\n\n^": 1378,
    "\n": 1325, ". ^": 1085, '("': 1019, "` ": 805, "</": 784, " `": 779, ">": 751, "><": 624,
    "></": 621, '="': 604, " (": 571, "(": 511, ">\n      <": 508, ":`": 486, " {{": 468,
    ") ": 386, " :": 365, '")}} ': 327, ".\n\n^": 315, ">\n<": 304, "://": 303, "\n   ": 292,
    "'": 273, ">\n</": 268, " = ": 263, "](/": 222, '" ': 217, "()\n\n": 205, "\n\n{{^": 203,
    "](": 200, " {": 197, " [": 188, ":": 187, '", "': 187, "}}\n\n## ^": 173, ")\n\n^": 173,
    ".\n\n## ^": 164, "], [": 132, "#": 128, "} ": 126, "\n\n```": 114, ";\n  ": 114, "; ": 107,
    "=": 99, "": 9200}

# Document lengths in words: a tenth of the documents lies between two neighbours.
STORY_LENGTHS = (60, 117, 143, 208, 290, 350, 422, 500, 591, 706, 1200)
WEB_LENGTHS = (10, 47, 73, 110, 164, 236, 330, 476, 785, 1800, 6800)
# fmt: on
