import { expect, test } from 'vitest'
import { translate } from './translate.ts'

const cases: [what: string, given: string, text: string, names: string[]][] = [
  ['names become places', 'SELECT 1 WHERE a = @one AND b = @two', 'SELECT 1 WHERE a = $1 AND b = $2', ['one', 'two']],
  ['a name used twice has one place', 'SELECT @now, @id, @now', 'SELECT $1, $2, $1', ['now', 'id']],
  ['marks are numbered', 'INSERT INTO t VALUES (?, ?)', 'INSERT INTO t VALUES ($1, $2)', []],
  ['aliases keep their letters', 'SELECT a_b AS aB FROM t ORDER BY aB', 'SELECT a_b AS "aB" FROM t ORDER BY "aB"', []],
  ['strings are left alone', "SELECT '@a ? aB rowid' AS x", "SELECT '@a ? aB rowid' AS x", []],
  ['a quote within a string', "SELECT 'it''s @a' WHERE x = @b", "SELECT 'it''s @a' WHERE x = $1", ['b']],
  ['quoted names are left alone', 'SELECT "aB" FROM "tT"', 'SELECT "aB" FROM "tT"', []],
  ['comments are left alone', 'SELECT 1 -- why? @x\n, ?', 'SELECT 1 -- why? @x\n, $1', []],
  ['names of indexes go', 'SELECT 1 FROM d INDEXED BY due WHERE x = ?', 'SELECT 1 FROM d WHERE x = $1', []],
  [
    'rows have another address',
    'DELETE FROM t WHERE rowid IN (SELECT rowid FROM t)',
    'DELETE FROM t WHERE ctid IN (SELECT ctid FROM t)',
    [],
  ],
  [
    'the query builder gives no value for an identity',
    'insert into "t" ("id", "a") values (null, ?), (null, ?) returning "id"',
    'insert into "t" ("id", "a") values (default, $1), (default, $2) returning "id"',
    [],
  ],
  [
    'the query builder names a conflict by table and column',
    'insert into "t" ("a") values (?) on conflict ("t"."a") do update set "b" = null',
    'insert into "t" ("a") values ($1) on conflict ("a") do update set "b" = null',
    [],
  ],
]

test.each(cases)('%s', (_what, given, text, names) => {
  expect(translate(given)).toEqual({ text, names })
})
