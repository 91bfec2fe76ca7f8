package bench

import _ "github.com/nereid-lang/nereid/internal/txtest" // turns the user's cache off
