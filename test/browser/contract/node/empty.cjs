// Parts of Node that the matchers' reports of files and terminals need, and a page does not.
module.exports = {}
