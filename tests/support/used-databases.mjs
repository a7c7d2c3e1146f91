// Databases that go from test to test: one is emptied in a tenth of the time that dropping it and copying its template
// takes. It gets a new name, so that whoever had it before gets in no more; one whose schema was touched is dropped.
import { databaseFrom, databasesOf, rename, withClient } from '../../scripts/postgres-databases.mjs'

/**
 * @typedef {import('../../scripts/postgres-databases.mjs').Place} Place
 * @typedef {object} Marks
 * @property {string} schema changes with everything that changes the schema, and with ANALYZE
 * @property {string} contents of the tables that the template fills
 * @typedef {Marks & { name: string, url: string, template: string, filled: string[], again: boolean }} Used
 *   `template`: what its like is known by; `filled`: the tables that the template fills; `again`: it can be emptied
 */

/** Of each of these: how many rows it has, and who wrote the newest. */
const CATALOGUES = `
  pg_attrdef pg_attribute pg_cast pg_class pg_collation pg_constraint pg_db_role_setting pg_default_acl pg_depend pg_enum
  pg_event_trigger pg_extension pg_index pg_inherits pg_namespace pg_opclass pg_operator pg_policy pg_proc pg_publication
  pg_range pg_rewrite pg_sequence pg_statistic_ext pg_trigger pg_type`
  .trim()
  .split(/\s+/)
const SCHEMA = `SELECT concat_ws(' ', (SELECT count(*) FROM pg_stats WHERE schemaname = 'public'),
  ${CATALOGUES.map((one) => `(SELECT concat(count(*), ':', max(xmin::text::bigint)) FROM ${one})`).join(', ')}) AS mark`
/** Ours, with at least one page. */
const WRITTEN = `SELECT oid::regclass::text AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0 ORDER BY 1`
const STATISTICS = `SELECT coalesce(sum(reltuples), 0) AS mark FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
const COUNTED = 'SELECT count(*) AS mark FROM pg_sequences WHERE last_value IS NOT NULL'
const COUNT_ANEW = 'SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence'

/** Empty ones, by their template. @type {Map<string, Used[]>} */
const empty = new Map()
/** Those of tests that run, by name. @type {Map<string, Used>} */
const inUse = new Map()

/**
 * A database that holds what `sql` makes and nothing else.
 *
 * @param {Place} place @param {string} sql
 * @returns {Promise<{ name: string, url: string }>}
 */
export async function takeDatabase(place, sql) {
  const template = [place.url, place.prefix, sql].join('\n')
  const database = empty.get(template)?.pop() ?? (await madeFrom(place, sql, template))
  inUse.set(database.name, database)
  return { name: database.name, url: database.url }
}

/** Nobody needs it any more: at its address there is none from now on. @param {Place} place @param {string} name */
export async function leaveDatabase(place, name) {
  const database = inUse.get(name)
  inUse.delete(name)
  const { dropDatabase } = databasesOf(place.url)
  if (!database?.again) return dropDatabase(name)
  Object.assign(database, await rename(place, name))
  if (!(await emptied(database))) return dropDatabase(database.name)
  empty.set(database.template, [...(empty.get(database.template) ?? []), database])
}

/** @param {Place} place @param {string} sql @param {string} template @returns {Promise<Used>} */
async function madeFrom(place, sql, template) {
  const made = await databaseFrom(place, sql)
  return withClient(made.url, async (client) => {
    const filled = await written(client)
    const marks = { schema: await markOf(client, SCHEMA), contents: await contentsOf(client, filled) }
    return { ...made, template, filled, ...marks, again: (await markOf(client, COUNTED)) === '0' }
  })
}

/** @param {Used} database @returns {Promise<boolean>} whether it is as it was when it was made */
async function emptied(database) {
  return withClient(database.url, async (client) => {
    if ((await markOf(client, SCHEMA)) !== database.schema) return false
    const toEmpty = (await written(client)).filter((table) => !database.filled.includes(table))
    if (toEmpty.length > 0) await client.query(`TRUNCATE ${toEmpty.join(', ')} CASCADE`)
    await client.query(COUNT_ANEW)
    database.schema = await markOf(client, SCHEMA)
    return (await contentsOf(client, database.filled)) === database.contents
  })
}

/** @param {import('pg').Client} client @param {string} query of one row with a `mark` */
async function markOf(client, query) {
  const { rows } = await client.query(query)
  return String(rows[0]?.mark)
}

/** @param {import('pg').Client} client @returns {Promise<string[]>} */
async function written(client) {
  const { rows } = await client.query(WRITTEN)
  return rows.map(({ name }) => String(name))
}

/** @param {import('pg').Client} client @param {string[]} tables */
async function contentsOf(client, tables) {
  const marks = [await markOf(client, STATISTICS)]
  for (const table of tables) {
    marks.push(await markOf(client, `SELECT md5(string_agg(t::text, '' ORDER BY t::text)) AS mark FROM ${table} t`))
  }
  return marks.join(' ')
}
