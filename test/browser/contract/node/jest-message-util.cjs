// Lets the matchers show the stack of an error unchanged, without excerpts of files.
module.exports = {
  formatStackTrace: (stack) => stack,
  separateMessageFromStack: (content) => ({ message: content, stack: '' }),
}
