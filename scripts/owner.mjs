// `npm run owner -- <account> [staff member]`: for a firm whose only owner has left ServiceM8. Lists its people, or makes
// one of them an owner and writes that into the audit log. Works while the product runs, also in the container.
import './help.mjs'
import { connected, databaseInSettings, endUnread, installForDatabase } from './keys.mjs'

const PEOPLE = 'SELECT staff_uuid AS id, role FROM account_person WHERE account_uuid = $1 ORDER BY since, staff_uuid'
const PROMOTE =
  "UPDATE account_person SET role = 'owner' WHERE account_uuid = $1 AND staff_uuid = $2 AND role = 'member'"
const NOTE = `INSERT INTO audit_entry (at, account_uuid, actor, staff_uuid, action, target, outcome, ip, detail)
  VALUES ($1, $2, 'system', NULL, 'role.changed', $3, 'done', NULL, '{"role":"owner","by":"the operator"}')`

/**
 * Runs `work` in one transaction.
 *
 * @template T
 * @param {string} place a file, or the address of a PostgreSQL database
 * @param {(run: (sql: string, values: unknown[]) => Promise<Record<string, string>[]>) => Promise<T>} work
 */
async function inOne(place, work) {
  if (/^postgres(ql)?:/.test(place)) {
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: place, connectionTimeoutMillis: 3_000 })
    await connected(client)
    try {
      await client.query('BEGIN')
      const done = await work(async (sql, values) => (await client.query(sql, values)).rows)
      await client.query('COMMIT')
      return done
    } finally {
      await client.end().catch(() => {})
    }
  }
  const { default: Database } = await import('better-sqlite3')
  const file = new Database(place, { fileMustExist: true })
  try {
    file.exec('BEGIN IMMEDIATE')
    const done = await work(async (sql, values) => {
      const statement = file.prepare(sql.replaceAll(/\$\d/g, '?'))
      if (statement.reader) return /** @type {Record<string, string>[]} */ (statement.all(values))
      statement.run(values)
      return []
    })
    file.exec('COMMIT')
    return done
  } finally {
    file.close()
  }
}

const [account = '', staff, ...more] = process.argv.slice(2)
if (account === '' || more.length > 0 || process.argv.slice(2).some((argument) => argument.startsWith('-'))) {
  console.error('Name an account, and perhaps one of its people: npm run owner -- <account> [staff member]')
  process.exit(2)
}
const { place } = databaseInSettings()
await installForDatabase()
/** @type {Record<string, string>[]} */
const people = await inOne(place, async (run) => {
  const before = await run(PEOPLE, [account])
  if (!before.some(({ id, role }) => id === staff && role === 'member')) return before
  await run(PROMOTE, [account, staff])
  await run(NOTE, [Date.now(), account, staff])
  return run(PEOPLE, [account])
}).catch(endUnread(place))
for (const { id, role } of people) console.log(`${id}  ${role}`)
const isThere = staff === undefined ? people.length > 0 : people.some(({ id }) => id === staff)
if (!isThere)
  console.error(
    `Nobody ${staff === undefined ? 'of this account' : 'like this'} has opened Fieldhook from ServiceM8. They have to, once.`,
  )
process.exitCode = isThere ? 0 : 1
