// How the matchers show the stack of what was thrown: as it is, without the files that a terminal would be shown.
module.exports = {
  formatStackTrace: (stack) => stack,
  separateMessageFromStack: (content) => ({ message: content, stack: '' }),
}
