// `npm run release`: shows what a restored copy holds back; `-- --yes` lets it send again.
// In the container: node scripts/release.mjs
import { operate } from './operations.mjs'

await operate('releaseCommand')
