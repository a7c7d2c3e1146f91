// `npm run build`: the pages and what the commands of an operator need, into build/. `npm start` does it by itself; the image is
// made with this.
import './node-version.mjs'

const { orExplain, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  const { did } = await setUp({ build: true })
  console.log(did.length === 0 ? 'Everything is built already.' : `Done: ${did.join(', ')}.`)
})
