// Imported first by every command: on a Node that cannot run this project it ends the process with one sentence.
// Written so that an old Node can still read it.

/**
 * The lines that every package here supports: 20 from 20.19, 22 from 22.13, and 24 or newer.
 *
 * @param {string} version like `v20.19.0`
 */
export function isSupported(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  if (major === 20) return minor >= 19
  if (major === 22) return minor >= 13
  return major >= 24
}

if (!isSupported(process.version)) {
  console.error(
    `Fieldhook needs Node.js 20.19 or newer in the 20 line, 22.13 or newer in the 22 line, or 24 and up. This is ${process.version}.`,
  )
  process.exit(1)
}
