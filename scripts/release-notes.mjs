// `node scripts/release-notes.mjs v1.2.0`: a release's notes from CHANGELOG.md, for .github/workflows/release.yml.
// Fails when tag and package.json name different versions, or the version's section is missing or empty.
import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * @param {{ tag: string, version: string, changelog: string }} input `version` as in package.json
 * @returns {{ outcome: 'notes', text: string } | { outcome: 'refused', sentence: string }}
 */
export function releaseNotes({ tag, version, changelog }) {
  if (!/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(tag)) {
    return { outcome: 'refused', sentence: `A tag is such as v1.2.0 or v1.2.0-rc.1, not ${tag}.` }
  }
  if (tag !== `v${version}`) {
    return {
      outcome: 'refused',
      sentence: `The tag is ${tag} and package.json says ${version}: they must be the same.`,
    }
  }
  const section = sectionsOf(changelog).find(({ heading }) => heading.split(/[\s,]/)[0] === version)
  if (!section) return { outcome: 'refused', sentence: `CHANGELOG.md has no section "## ${version}".` }
  if (section.text === '')
    return { outcome: 'refused', sentence: `The section "## ${version}" of CHANGELOG.md is empty.` }
  return { outcome: 'notes', text: `${section.text}\n` }
}

/** @param {string} changelog @returns {{ heading: string, text: string }[]} */
function sectionsOf(changelog) {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n')
      return { heading: heading.trim(), text: lines.join('\n').trim() }
    })
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const read = (/** @type {string} */ name) =>
    readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8')
  const notes = releaseNotes({
    tag: process.argv[2] ?? '',
    version: JSON.parse(read('package.json')).version,
    changelog: read('CHANGELOG.md'),
  })
  if (notes.outcome === 'notes') process.stdout.write(notes.text)
  else {
    console.error(notes.sentence)
    process.exitCode = 1
  }
}
