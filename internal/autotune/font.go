package autotune

// Dots of a letter.
const (
	glyphWidth  = 5
	glyphHeight = 7
)

// font is letters of 5 by 7 dots: a digit to the base of 32 for each row, its bits the dots.
var font = map[rune]string{
	' ': "0000000", '!': "4444004", '"': "aaa0000", '#': "aavavaa", '$': "4fke5u4", '%': "op248j3", '&': "cik8lid", '\'': "c480000",
	'(': "2488842", ')': "8422248", '*': "04lel40", '+': "044v440", ',': "0000c48", '-': "000v000", '.': "00000cc", '/': "01248g0",
	'0': "ehjlphe", '1': "4c4444e", '2': "eh1248v", '3': "v2421he", '4': "26aiv22", '5': "vgu11he", '6': "68guhhe", '7': "v124888",
	'8': "ehhehhe", '9': "ehhf12c", ':': "0cc0cc0", ';': "0cc0c48", '<': "248g842", '=': "00v0v00", '>': "8421248", '?': "eh12404",
	'@': "eh1dlle", 'A': "ehhvhhh", 'B': "uhhuhhu", 'C': "ehggghe", 'D': "sihhhis", 'E': "vgguggv", 'F': "vgguggg", 'G': "ehgnhhf",
	'H': "hhhvhhh", 'I': "e44444e", 'J': "72222ic", 'K': "hikokih", 'L': "ggggggv", 'M': "hrllhhh", 'N': "hhpljhh", 'O': "ehhhhhe",
	'P': "uhhuggg", 'Q': "ehhhlid", 'R': "uhhukih", 'S': "fgge11u", 'T': "v444444", 'U': "hhhhhhe", 'V': "hhhhha4", 'W': "hhhllla",
	'X': "hha4ahh", 'Y': "hhha444", 'Z': "v1248gv", '[': "e88888e", '\\': "0g84210", ']': "e22222e", '^': "4ah0000", '_': "000000v",
	'`': "8420000", 'a': "00e1fhf", 'b': "ggmphhu", 'c': "00egghe", 'd': "11djhhf", 'e': "00ehvge", 'f': "698s888", 'g': "0fhhf1e",
	'h': "ggmphhh", 'i': "40c444e", 'j': "20622ic", 'k': "ggikoki", 'l': "c44444e", 'm': "00qllhh", 'n': "00mphhh", 'o': "00ehhhe",
	'p': "00uhugg", 'q': "00djf11", 'r': "00mpggg", 's': "00ege1u", 't': "88s8896", 'u': "00hhhjd", 'v': "00hhha4", 'w': "00hhlla",
	'x': "00ha4ah", 'y': "00hhf1e", 'z': "00v248v", '{': "2448442", '|': "4444444", '}': "8442448", '~': "008l200", 'µ': "00hhhug",
}
