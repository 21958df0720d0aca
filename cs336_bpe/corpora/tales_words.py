"""The words and the sentences that `tales.py` writes with: typed for it, and common English.

Within a list, words that are used more often come first.
"""

NOUNS = {
    "home": """house door room window table chair bed wall floor kitchen lamp roof stair key
clock cup box bottle basket blanket mirror candle drawer shelf curtain pillow carpet corner
garden gate chimney fireplace cellar attic cupboard broom bucket bowl plate spoon fork knife
kettle teapot towel soap brush comb needle thread button ladder hammer nail rope jar lid
stove oven sink tap pipe bench cushion sofa wardrobe hallway doorstep balcony bathtub
doorbell handle hinge lock picture frame vase tray mug napkin apron rug stool crib cradle
mattress sheet quilt bookcase letterbox fence hedge shed porch keyhole windowsill lantern
matchbox flowerpot birdcage teacup saucer corkscrew sieve funnel""",
    "nature": """tree river hill sky sun wind rain forest stone flower leaf mountain field
grass path lake snow cloud star moon bird valley branch root seed sand shore wave storm
stream island rock meadow bush pond cave cliff mud ice fog thunder lightning rainbow shadow
sunrise sunset breeze frost hail dew puddle waterfall spring desert swamp canyon volcano
glacier horizon pebble boulder moss fern mushroom acorn pine oak birch willow maple thorn
berry rose daisy tulip violet lily clover poppy sunflower dandelion thistle ivy reed bark
twig blossom petal pollen meteor comet planet tide current whirlpool lagoon marsh ridge
slope summit plateau ravine grove orchard hollow brook""",
    "animals": """dog cat horse fish mouse rabbit fox bear cow sheep goat pig duck hen goose
owl wolf deer frog bee ant spider snake turtle lion tiger elephant monkey donkey squirrel
hedgehog sparrow crow swan eagle hawk robin swallow pigeon parrot penguin whale dolphin
shark crab seal otter beaver badger mole bat rat hamster puppy kitten lamb calf foal chick
butterfly moth beetle snail worm cricket grasshopper ladybird dragonfly wasp fly mosquito
lizard crocodile giraffe zebra camel kangaroo panda rhino hippo leopard cheetah gorilla
octopus jellyfish starfish salmon trout eel heron stork raven magpie woodpecker peacock
turkey rooster ox bull mare stallion pony hare weasel""",
    "people": """man woman child boy girl mother father friend brother sister son daughter
baby king queen teacher doctor farmer baker sailor captain soldier neighbour uncle aunt
cousin grandmother grandfather prince princess wizard witch giant thief guard judge nurse
cook driver painter singer dancer writer poet actor clown magician tailor butcher gardener
fisherman hunter carpenter blacksmith miller shepherd shopkeeper waiter postman policeman
fireman pilot engineer scientist inventor explorer traveller pirate knight servant guest
host stranger passenger visitor pupil student professor mayor president lawyer priest monk
nun beggar merchant banker clerk secretary librarian musician drummer violinist juggler
acrobat referee champion twin orphan widow bride groom crowd family team class crew audience
villager citizen passer ancestor nephew niece hero coward""",
    "things": """book letter story picture song game ball toy ring hat coat shoe bag coin
map boat ship train car bicycle wheel bell flag kite drum flute piano guitar violin trumpet
paper pen pencil ink paint colour knot string wire tool machine engine robot camera
telephone radio television computer screen watch compass telescope microscope magnet battery
bulb switch spring gear lever balloon parachute airplane rocket tractor wagon cart sledge
saddle bridle whip arrow bow sword shield armour crown jewel diamond pearl gold silver
copper iron glass feather wool cotton silk leather ribbon scarf glove sock shirt dress
trousers skirt belt pocket sleeve collar boot slipper umbrella suitcase parcel ticket stamp
envelope postcard newspaper magazine diary notebook chapter page sentence word alphabet
riddle puzzle poem joke rhyme tale legend fable puppet doll marble dice card prize medal
treasure present gift surprise secret message signal sign poster painting statue""",
    "food": """bread water milk cake apple soup egg cheese butter honey sugar salt tea
coffee rice meat potato carrot onion cabbage bean pea corn tomato pumpkin cherry plum pear
grape lemon orange banana strawberry raspberry blueberry peach melon nut walnut almond
chestnut pie biscuit pancake pudding jam cream chocolate sweet candy porridge noodle
sandwich sausage bacon ham chicken stew salad sauce pepper vinegar oil flour dough yeast
oatmeal cinnamon ginger garlic parsley mint basil spinach lettuce cucumber radish turnip
beetroot leek celery mustard pickle syrup toast crumb crust slice breakfast lunch dinner
supper feast picnic meal dish recipe juice lemonade wine cider cocoa""",
    "town": """street town village city school shop market church bridge station road square
tower castle palace hospital library museum theatre hotel inn farm mill bakery harbour
factory office bank prison court hall park playground fountain well pavement crossing
traffic bus tram taxi lorry motorway tunnel railway platform airport lighthouse pier dock
warehouse garage workshop studio college university classroom desk blackboard lesson exam
homework playtime holiday festival parade circus fair carnival wedding birthday party
concert dance match race cinema stadium pool cafe restaurant cottage cabin tent hut barn
stable kennel nest den burrow neighbourhood suburb district border country kingdom empire
capital address corner signpost kerb gutter alley lane avenue""",
    "mind": """day time night morning year thing way idea life world voice name word heart
hand eye head face dream question answer reason problem plan hope fear love luck joy thought
mind memory moment hour minute week month season summer winter autumn evening noon midnight
century age beginning middle end beginning past future change chance choice mistake truth
lie promise rule law duty right freedom peace war battle victory defeat danger trouble help
kindness courage patience wisdom honour pride shame anger sorrow grief pity mercy doubt
trust belief faith wonder silence noise sound music smell taste touch sight sense feeling
habit skill talent effort practice success failure power strength weakness health illness
fever pain wound cure medicine sleep hunger thirst breath tear smile laugh sigh whisper
shout cry kiss hug wave nod step jump journey adventure errand visit search discovery
invention experiment lesson example reward punishment quarrel argument agreement friendship
company business trade price cost money wage debt wealth poverty fortune""",
    "science": """light energy force heat speed weight number size shape line circle
triangle square angle distance temperature pressure gravity motion matter atom molecule cell
gene virus bacterium oxygen carbon hydrogen metal crystal mineral fossil dinosaur climate
weather ocean continent equator pole orbit galaxy universe satellite astronaut laboratory
theory proof formula equation fraction decimal percentage average graph table chart
measurement ruler scale balance thermometer experiment observation evidence result cause
effect pattern system structure process method model network signal code program data
algorithm memory keyboard button circuit current voltage motor turbine pump valve piston
lens prism spectrum colour wavelength frequency echo vibration friction surface volume area
length width height depth mass density liquid solid gas vapour mixture solution acid""",
    "body": """arm leg foot finger toe knee elbow shoulder neck back chest stomach skin bone
blood brain lung muscle nose ear mouth lip tongue tooth chin cheek forehead eyebrow hair
beard moustache thumb wrist ankle heel palm nail fist tail wing paw claw hoof horn beak fur
shell fin whisker mane""",
}

PLURALS = {"man": "men", "woman": "women", "child": "children", "mouse": "mice", "foot": "feet",
           "tooth": "teeth", "goose": "geese", "ox": "oxen", "sheep": "sheep", "fish": "fish",
           "deer": "deer", "leaf": "leaves", "loaf": "loaves", "wolf": "wolves", "calf": "calves",
           "thief": "thieves", "knife": "knives", "life": "lives", "shelf": "shelves",
           "scarf": "scarves", "policeman": "policemen", "postman": "postmen",
           "fireman": "firemen", "fisherman": "fishermen", "potato": "potatoes",
           "tomato": "tomatoes", "hero": "heroes", "echo": "echoes", "mosquito": "mosquitoes",
           "bacterium": "bacteria", "trousers": "trousers", "salmon": "salmon", "trout": "trout",
           "half": "halves", "dice": "dice", "volcano": "volcanoes", "passer": "passers"}

UNCOUNTED = set("""grass snow sand mud ice fog thunder lightning rain hail dew moss ivy
pollen gold silver copper iron glass wool cotton silk leather ink paper bread water milk
soup butter honey sugar salt tea coffee rice meat corn cream chocolate porridge bacon ham
chicken flour dough yeast oatmeal cinnamon ginger garlic parsley mint basil spinach lettuce
celery mustard vinegar oil pepper syrup toast juice lemonade wine cider cocoa jam homework
traffic luck joy peace freedom shame anger sorrow grief pity mercy faith silence noise music
kindness courage patience wisdom honour pride hunger thirst poverty wealth money energy heat
gravity motion matter oxygen carbon hydrogen weather evidence data friction hair blood fur
soap armour water sleep health trousers wind storm""".split())

# Verbs that take an object; irregular ones with their past and participle.
VERBS = """make take find see give bring hold keep carry open close follow watch help hear
leave lose build catch throw pull push cut break wash clean paint draw write read sing teach
learn know remember forget love hate like want need buy sell pay steal hide show send meet
call ask tell answer thank visit join save feed kill cook bake boil fry eat drink taste
smell touch feel lift drop roll fold wrap tie untie lock unlock fix repair mend change turn
move shake stir mix pour fill empty cover uncover plant water pick gather collect count
measure weigh cross climb pass reach touch chase hunt fight beat win choose accept refuse
offer share divide join connect separate examine study explore discover invent design draw
describe explain understand notice recognise imagine expect believe doubt trust admire
praise blame punish forgive protect defend attack rescue guard guide lead drive ride steer
stop start finish begin continue repeat practise test prove check correct improve ruin
destroy damage burn light polish scrub sweep dust brush comb cut trim sew knit weave spin
dye iron pack unpack load unload deliver order borrow lend return replace remove add
subtract multiply store dig bury plough harvest peel slice chop grate squeeze press crush
grind spread sprinkle melt freeze warm cool heat dry wet soak rinse splash dip blow suck
chew swallow bite lick sniff hug kiss pat stroke scratch tickle tease scare frighten
surprise amuse bore annoy comfort cheer encourage warn advise promise allow forbid force
invite welcome greet introduce marry adopt raise train tame ring tap knock kick hit slap
punch poke pinch grab snatch clutch drag tow tug stretch bend twist tear rip crack smash
shatter scatter pile stack arrange sort label sign stamp post print copy trace sketch carve
sculpt photograph film record play perform conduct compose translate publish quote mention
whisper shout announce report deny admit confess reveal hide ignore avoid escape survive
enjoy celebrate honour attend miss waste spend earn owe cost deserve require contain include
produce create cause prevent reduce increase double spoil decorate furnish rent own possess
inherit""".split()

# Verbs that need none.
VERBS_ALONE = """go come run walk sit stand sleep wake wait stay live die grow fall rise fly
swim jump hop skip dance laugh smile cry weep shout whisper speak talk listen look stare
think dream hope work play rest breathe cough sneeze yawn snore shiver tremble blush frown
nod bow kneel crawl creep climb slide slip trip stumble wander travel arrive leave return
disappear appear happen begin stop shine glow sparkle flicker burn melt freeze drip flow
float sink drift roll spin turn swing shake bounce rustle creak squeak bark meow roar growl
howl hum buzz chirp sing whistle ring tick boil bubble steam bloom fade rot spread vanish
hurry rush dash gallop trot march stroll limp hesitate argue quarrel agree apologise
complain giggle chuckle grin sob sigh pray vote win lose fail succeed improve""".split()

IRREGULAR = {word.split()[0]: tuple(word.split()[1:]) for word in """make made made/take
took taken/find found found/see saw seen/give gave given/bring brought brought/hold held
held/keep kept kept/hear heard heard/leave left left/lose lost lost/build built built/catch
caught caught/throw threw thrown/cut cut cut/break broke broken/draw drew drawn/write wrote
written/read read read/sing sang sung/teach taught taught/know knew known/forget forgot
forgotten/buy bought bought/sell sold sold/pay paid paid/steal stole stolen/hide hid
hidden/show showed shown/send sent sent/meet met met/tell told told/feed fed fed/eat ate
eaten/drink drank drunk/feel felt felt/shake shook shaken/fight fought fought/beat beat
beaten/win won won/choose chose chosen/understand understood understood/forgive forgave
forgiven/lead led led/drive drove driven/ride rode ridden/begin began begun/burn burned
burned/light lit lit/sweep swept swept/sew sewed sewn/knit knitted knitted/weave wove
woven/spin spun spun/lend lent lent/dig dug dug/grind ground ground/spread spread
spread/freeze froze frozen/blow blew blown/bite bit bitten/ring rang rung/hit hit hit/bend
bent bent/tear tore torn/spend spent spent/cost cost cost/go went gone/come came come/run
ran run/sit sat sat/stand stood stood/sleep slept slept/wake woke woken/grow grew grown/fall
fell fallen/rise rose risen/fly flew flown/swim swam swum/weep wept wept/speak spoke
spoken/think thought thought/kneel knelt knelt/creep crept crept/slide slid slid/shine shone
shone/sink sank sunk/swing swung swung/forbid forbade forbidden/hurry hurried hurried/tie
tied tied/die died died/untie untied untied/dye dyed dyed""".replace("\n", " ").split("/")}

ADJECTIVES = """little big old small new good great long young happy beautiful kind warm
cold bright dark quiet tall strange sad soft strong red blue green white black yellow brown
golden silver wooden empty full heavy light quick slow clever brave gentle tired hungry
thirsty lonely proud angry afraid curious funny silly wise poor rich strong weak sweet sour
bitter fresh clean dirty dry wet hot cool deep shallow high low wide narrow thick thin round
square flat sharp blunt smooth rough hard early late loud silent busy lazy careful careless
honest polite rude famous secret hidden lost broken torn plain fancy rare common simple
difficult easy safe dangerous wild tame fierce friendly cheerful gloomy nervous calm patient
grateful jealous generous selfish greedy humble noble foolish mad sleepy awake alive dead
sick healthy blind deaf pale rosy grey pink purple orange crimson scarlet violet striped
spotted shiny dull dusty rusty muddy sandy rocky grassy snowy icy foggy stormy sunny rainy
windy cloudy misty frosty steep crooked straight curly hairy furry fluffy woolly feathery
slippery sticky greasy crisp crunchy juicy ripe rotten stale spicy salty tasty delicious
plump slim skinny enormous tiny huge giant gigantic massive miniature ancient modern foreign
local distant nearby northern southern eastern western royal magic magical mysterious
invisible ordinary special perfect splendid wonderful marvellous terrible horrible awful
dreadful ugly pretty handsome graceful elegant clumsy neat tidy messy crowded lively
peaceful noisy gentle tender stern strict fair unfair cruel wicked innocent guilty loyal
faithful stubborn eager keen willing shy bold daring fearless cautious sensible reasonable
practical useful useless precious cheap expensive priceless double single whole half
separate equal different similar strange familiar unknown famous favourite important serious
urgent private public natural artificial physical chemical electric electronic mechanical
nuclear solar tropical polar global national daily weekly annual final first second third
last next recent sudden gradual constant regular sturdy fragile delicate hollow solid liquid
transparent colourful pale faint vivid brilliant gleaming glowing sparkling shimmering
whispering laughing sleeping running""".split()

ADVERBS = """slowly quickly quietly suddenly carefully gently softly loudly happily sadly
bravely proudly angrily politely patiently finally always never often sometimes again
together alone today yesterday once soon already almost nearly really truly simply only even
still just perhaps maybe certainly probably usually rarely seldom everywhere somewhere
nowhere upstairs downstairs outside inside indoors abroad backwards forwards sideways
straight eagerly nervously calmly cheerfully gratefully kindly wisely foolishly secretly
silently secretly steadily firmly tightly loosely deeply closely neatly badly well fast hard
early late far away nearby clearly exactly completely partly hardly entirely perfectly
terribly rather quite very honestly faithfully gracefully clumsily lazily anxiously
curiously patiently stubbornly gladly willingly accidentally immediately eventually
gradually recently lately meanwhile afterwards beforehand nevertheless therefore however""".split()

GIRLS = """Anna Lucy Mary Sarah Emma Rose Ellen Clara Alice Grace Julia Maria Nora Ruth Jane
Kate Molly Sophie Hannah Ella Ida Lily Eva Martha Helen Laura Susan Amy Daisy Flora Greta
Hazel Iris Joan Karen Lena Mina Nina Olive Paula Rita Stella Tessa Una Vera Wendy Zoe Amina
Beatrice Carmen Diana Edith Fatima Gwen Harriet Ingrid Jasmine Leila Mabel Naomi Olga Priya
Rebecca Sonia Tamara Ursula Yasmin Agnes Bridget Cecilia Dora Elsa Frida Ginger Holly Ivy
Josephine Kira Luna Matilda Noor Opal""".split()
BOYS = """Tom Ben Jack Peter Sam John Paul Henry Max Leo James David Oscar Adam Felix Hugo
Robert Simon Daniel Martin George Edward Frank Oliver Thomas William Arthur Charles Albert
Eric Fred Harry Ivan Jonas Karl Lewis Mark Noah Otto Philip Ralph Stephen Theo Victor Walter
Ahmed Boris Carlos Dominic Emil Finn Gabriel Hassan Isaac Joseph Kenji Luis Miguel Nathan
Omar Pablo Quentin Rashid Sven Tariq Umberto Vincent Wolf Xavier Yusuf Zack Angus Basil
Cedric Douglas Edmund Gilbert Hector Julian""".split()

# Surnames and places: a first part and a second one.
FIRST_PARTS = """Ash Black Brook Bright Cold Crow Dun East Elm Fair Fern Fox Glen Gold Green
Grey Hart Hazel High Hill Holly King Lang Lark Lock Long Maple Mar Marsh Mead Mid Mill Moor
New North Oak Old Pem Pine Queen Raven Red Rock Rose Sand Silver South Spring Stan Stone
Storm Swan Thorn Under Wake Wal Water Wells West White Wild Willow Win Wood Wolf Wren York
Ald Ban Bar Bex Brad Bram Bur Car""".split()
SECOND_PARTS = """ton ford field wood ley ham bury brook bridge well ville land worth mouth
port gate hill dale don stone burn cliff combe cott croft den haven hurst mere minster more
over ridge shaw side stead stow thorpe view ward water way wick borough church cross
grove""".split()

TITLES = "Mr Mrs Miss Dr Captain Professor Uncle Aunt Sir Lady Old Young Captain King Queen".split()
NUMBERS = """two three four five six seven eight nine ten eleven twelve fifteen twenty
thirty forty fifty sixty ninety hundred""".split()
MONTHS = """January February March April May June July August September October November
December""".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

# Sentences. In braces: what is drawn anew (`n` a noun, `t` a noun of the document's theme, `a` an
# adjective, `v` a verb, `i` a verb without an object, see `tales.py`), or what is the same in the
# whole document: hero, friend, He, he, his, him, place, family. `/` ends one, `|` is a new line.
OPENINGS = """Once upon a time there was {an} {animal} who lived in {place}./Once there lived
{a_a} {person} called {hero} in {place}./{hero} and {friend} lived in {a_a} {town} near
{place}./Long ago, in {place}, there was {a_a} {t}./It was {a_a} {season} morning in
{place}./One day {hero} {past} {a_a} {t}./When {hero} was {num} years old, {he} {past} {a_a}
{t}./Nobody in {place} had ever seen {a_a} {t}./In the {town} of {place} there was {a_a} {n}
with {num} {ts}./{hero} {family} was {a_a} {person}./Everyone in {place} knew {hero}, the
{a} {person}./It was {weekday}, and {hero} was {ing} the {t}./"Where is my {t}?" asked
{hero}./There was once {a_a} {person} who had {num} {ns} and {an} {t}."""

TELLING = """{He} {past} the {t} and {past} it to {friend}./The {t} was {a} and {a}./{hero}
{pasti} {adv}./ {He} wanted to {v} the {a} {n}, but {he} couldn't./Every {time}, {hero}
{past} the {ns} in the {n}./ {friend} {pasti} and {pasti} until the {n} {pasti}./There was
{an} {n} under the {t}./They {past} the {ts} and {pasti} by the {n}./{He} had never {part}
such {a_a} {t}./But the {n} didn't {i}./Then {hero} {pasti} to the {town}./At last {he}
{past} {his} {t}./The {person} {past} {him} {a_a} {n}./{hero} felt {a}, because the {t} was
{part}./It {pasti} all {time}, and the {ns} were {a}./{friend} was {ing} {a_a} {n} when the
{t} {pasti}./{He} {past} it {adv}, and then {he} {pasti}./The {ns} of {place} are {a} in the
{season}./{hero} looked at the {t}, and the {t} looked at {him}./So {he} {past} {his} {n}
and {pasti} {adv}./After {num} days the {t} was {a} again./On {weekday} they {past} {an} {n}
with {a} {ns}./{hero} and {friend} {past} the {t} together./Suddenly {an} {a2} {animal}
{pasti} out of the {n}./ Nobody {past} the {person}, who {pasti} {adv}./"It's only {an}
{t}," thought {hero}./There were {num} {ts} in the {n}, and each of them was {a}./{He}
didn't know what to {v}./The {a} {person} {past} {his} {n} and {pasti}./{hero} {family}
{past} the {t} every {time}./If the {t} had {pasti_part}, {hero} would have {part} it./They
couldn't {v} the {n}, so they {past} the {ts}./The {n} was full of {ns}./{He} put the {t}
into {his} {n} and {pasti}./{friend} {past} {an} {n}, {an} {n} and {num} {ts}./Far away,
{an} {animal} {pasti}./That {time}, {hero} dreamed of {a_a} {t}./{He} was too {a} to {v} the
{n}./The {t} began to {i}, and {friend} {pasti}./{hero} had to {v} the {n} before the
{person} {pasti}./It was {hour} o'clock when they {past} the {town}./In the {n} there wasn't
a single {t} left./With {a_a} {n} in {his} hand, {hero} {pasti} up the {nature}./The
{animal} and the {animal} were {a} friends./{He} {past} the {a} {t} from the {n} to the
{n}./Without {his} {n}, {he} was only {a_a} {person}./By {month}, the {ns} had
{pasti_part}./All the {people} of {place} {past} the {n}./{hero} hid behind the {n} and
{past} the {ts}./The {food} tasted {a}, and the {food} was {a}./They {pasti} until the
{time} was over."""

TALKING = """"Don't {v} the {t}!" said {friend}./"I'm {ing} {an} {n}," said {hero}./"You
can't {v} {a_a} {t} with {an} {n}," {friend} said {adv}./"What's that?" asked {hero}./"We'll
{v} it together," said the {person}./"Have you {part} my {n}?" asked {friend}. "It's {a} and
{a}."/"I've {part} {num} {ns}," {hero} answered./"It isn't {a_a} {t}," said {friend}, "it's
{an} {n}!"/"Please {v} the {n}," {he} whispered./"Why don't you {i}?" asked the
{animal}./"That's {a}!" cried {friend}./"They're in the {town}," said {hero}. "Let's
{i}!"/"I didn't {v} it," said {hero} {adv}./"Who {past} the {t}?" the {person} wanted to
know./"Thank you," said {hero}. "You're very {a}."/"If you {v} my {t}, I'll {v} your {n},"
said the {person}./"She's {an} {a2} {person}, isn't she?" said {friend}./"I'd rather {v}
{an} {n}," {hero} {pasti}./"Look! The {t} is {ingi}!"/"No," said {friend}, "we haven't
{part} the {n} yet."/"How many {ts} do you have?" asked {hero}. "{Num}," said {friend}."""

CLOSINGS = """And so {hero} and {friend} {past} the {t}, and everyone was {a}./From that day
on, the {t} never {pasti} again./And if the {ns} haven't {pasti_part}, they {i} there
still./{hero} smiled, and {friend} {pasti}. It had been {a_a} day./That was the end of the
{t}./Since then, the people of {place} {v} {an} {t} every {season}."""

FACTS = """{A_a} {t} has {num} {ns} and {an} {n}./In {year}, {name} {past} {an} {n} in
{place}./The {t} is {a} than the {n}, but not as {a} as the {n}./About {count} {ts} are
{part} every year./It costs ${price} and weighs {weight} kg./{name} {past} the first {t} in
{month} {year}./Most {ts} are {a}, while {a} {ns} {i} {adv}./The {t} of the {n} is called
the {n} {n}./A {town} needs {count} {ns} and {num} {ts}./When {an} {n} is {part}, its {t}
becomes {a}./The {n} consists of {an} {n}, {num} {ts} and {a} {ns} ({year}, page
{page})./First, {v} the {t}; then {v} the {ns} for {page} minutes./According to {title}
{surname}, {percent} % of all {ts} {i}./The {town} of {place} has {count} people./Between
{year} and {year}, the number of {ts} rose from {count} to {count}./{A_a} {person} can {v}
{an} {n} in {page} minutes./Why do {ts} {i}? Because their {ns} are {a}./{title} {surname}
{past} the {n} of {place}./The train to {place} leaves at {hour}:{minute}./Its {ns} are {a},
{a} and {a}; its {t} is {a}./It's often said that {ts} don't {i}, but that isn't true./There
are {num} kinds of {t}: {a}, {a} and {a}./{surname} and {surname} studied {count} {ns} near
{place}./The {nl} {n} was {reparted} in {year}, and the {un} {ts} were {part}./Unlike {an}
{n}, {a_a} {t} is neither {a} nor {a}./Its {ness} depends on the {ness} of the {t}./The {er}
and the {er} are {a} {people}./Order no. {order} was sent to {name} in {place}./Call {title}
{surname} at {order} or {order}, or visit {place} on {weekday}s. /Sample {order} was {a},
and sample {order} wasn't./In Room {page} of the {town}, {name} {past} {count} {ts}./{name}
(born in {year}) was {a_a} {person} from {place}."""

LETTERS = """Dear {friend},||Thank you for the {t}. It's {a_a} {n}, and I {v} it every
{time}. /Dear {title} {surname},||On {weekday}, {page} {month} {year}, I {past} {num} {ts}
from your shop in {place}. The {n} was {part}, and I'm not {a}. /Dear {hero},||How are you?
We've {part} the {n}, and the {ts} are {a}."""
SIGNED = """||Yours,|{hero}/||Love from {place},|{friend}/||Yours faithfully,|{name}"""
