// Emscripten puts this before its glue: a program under Node sees the environment, as a native program does.
Module.preRun = () => Object.assign(ENV, process.env)
