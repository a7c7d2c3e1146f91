// `npm run migrate`: brings the schema of a PostgreSQL database up to date while instances work: the release command of
// a deploy. In the container: node scripts/migrate.mjs. A SQLite file is brought up to date at the start;
// `--server` fails for one.
import { operate } from './operations.mjs'

await operate('migrateCommand', { source: process.env })
