module github.com/nereid-lang/nereid

go 1.26
