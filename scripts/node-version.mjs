// Imported first by every command. On an unsupported Node, the command is run again with a pinned Node 24 from the
// package registry. NODE_OWN=1 disables that, and the command ends with one sentence. Written so that an old Node can
// still parse it.

/**
 * The versions that every package here supports: 22 from 22.14, and 24 or newer. Node 20 is past its end of life and
 * crashes with better-sqlite3 13.
 *
 * @param {string} version like `v22.14.0`
 */
export function isSupported(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  if (major === 22) return minor >= 14
  return major >= 24
}

if (!isSupported(process.version)) {
  const { goOnWithOwnNode } = await import('./own-node.mjs')
  await goOnWithOwnNode()
}
