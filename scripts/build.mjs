// `npm run build`: builds the pages and the operator commands into build/. `npm start` runs it when needed; the image
// build uses it.
import { refuseOptions } from './help.mjs'

refuseOptions()
const { orExplain, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  const { did } = await setUp({ build: true, packages: 'product' })
  console.log(did.length === 0 ? 'Everything is built already.' : `Done: ${did.join(', ')}.`)
})
