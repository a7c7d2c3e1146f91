// `npm run screens`: a screenshot of every screen at 320, 375, 768 and 1280 pixels in both themes. Finds elements that
// are wider than the screen, too small to press, or bad for assistive technology; exits with 1 if there are any.
//   npm run screens -- --only manager --width 375 --theme dark     some of them (each may be given more than once)
//   npm run screens -- --guide                                     pictures for docs/user-guide.md (docs/images/guide)
//   npm run screens -- --beside folder                             docs/images/looks: what an older commit took, beside these
//   npm run screens -- --to folder                                 another folder than .cache/looks
import './help.mjs'
import { browserOrExit } from './browser.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: true }))

const browser = await browserOrExit()
const { runTs } = await import('./run-ts.mjs')
const { takeScreens } = await runTs('packages/lab/screens/take-screens.ts')
process.exit(await /** @type {Function} */ (takeScreens)(process.argv.slice(2), browser))
