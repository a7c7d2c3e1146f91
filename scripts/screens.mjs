// `npm run screens`: a picture of every screen at 320, 375, 768 and 1280 pixels in both themes, and what a machine can see there: what is
// wider than the screen, too small to press, or in the way of assistive technology. Ends with 1 when there is something.
//   npm run screens -- --only manager --width 375 --theme dark     some of them (each may be given more than once)
//   npm run screens -- --guide                                      the pictures of docs/user-guide.md, into docs/images/guide
//   npm run screens -- --to folder                                 somewhere else than .cache/looks
import './node-version.mjs'
import { FLAGS, findBrowser, tellWhatWasTried } from './browser.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: true }))

const { found, tried } = await findBrowser()
if (!found) {
  console.error(tellWhatWasTried(tried))
  process.exit(1)
}
const { runTs } = await import('./run-ts.mjs')
const { takeScreens } = await runTs('packages/lab/screens/take-screens.ts')
process.exit(await /** @type {Function} */ (takeScreens)(process.argv.slice(2), { ...found, flags: FLAGS }))
