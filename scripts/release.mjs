// `npm run release`: what waits in a restored copy; `-- --yes` lets it send again. In the container: node scripts/release.mjs
import { operate } from './operations.mjs'

await operate('releaseCommand')
