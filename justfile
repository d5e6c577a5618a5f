# The steps of CI; `just ci` runs them all. They live in ./test, which needs nothing installed.

default: ci

ci:
    ./test

format:
    ./test format

lint:
    ./test lint

build:
    ./test build

test:
    ./test test

unit:
    ./test unit

stories:
    ./test stories

servers:
    ./test servers

cluster:
    ./test cluster

deploy:
    ./test deploy

web:
    ./test web
