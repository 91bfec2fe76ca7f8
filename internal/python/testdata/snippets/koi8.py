#!/usr/bin/python
# vim: set fileencoding=koi8-r :
x = "аб"; z = 1
