import { describe, expect, it } from 'vitest'
import { type BackupVariables, isAgeIdentity, readBackupSettings } from './backup-settings.ts'

// Published with the age format's test kit: nobody's key.
const KEY = 'AGE-SECRET-KEY-1XMWWC06LY3EE5RYTXM9MFLAZ2U56JJJ36S0MYPDRWSVLUL66MV4QX3S7F6'
const S3 = {
  BACKUP_TO: 's3://bucket/some/prefix/',
  BACKUP_KEY: KEY,
  BACKUP_S3_ENDPOINT: 'https://s3.example.com/',
  BACKUP_S3_KEY_ID: 'id',
  BACKUP_S3_SECRET: 'secret',
}

function read(given: BackupVariables, others: Record<string, string> = {}) {
  const problems: string[] = []
  const settings = readBackupSettings(given, others, problems)
  return { settings, problems }
}

describe('backups', () => {
  it('are off when nothing is said', () => {
    expect(read({})).toEqual({ settings: null, problems: [] })
  })

  it('go to a folder, or to a bucket with a prefix', () => {
    expect(read({ BACKUP_TO: '/mnt/backups', BACKUP_KEY: ` ${KEY}, ${KEY}` }).settings).toEqual({
      to: { kind: 'folder', path: '/mnt/backups' },
      keys: [KEY, KEY],
      removesOld: true,
    })
    const to = { kind: 's3', bucket: 'bucket', endpoint: 'https://s3.example.com', keyId: 'id', secret: 'secret' }
    expect(read(S3)).toEqual({
      settings: { to: { ...to, prefix: 'some/prefix', region: 'auto' }, keys: [KEY], removesOld: true },
      problems: [],
    })
    expect(read({ ...S3, BACKUP_TO: 's3://bucket', BACKUP_S3_REGION: 'eu-west-1' }).settings?.to).toEqual({
      ...to,
      prefix: '',
      region: 'eu-west-1',
    })
  })

  it.each<[BackupVariables, string]>([
    [{ BACKUP_TO: '/x' }, 'BACKUP_KEY is missing'],
    [{ BACKUP_KEY: KEY }, 'BACKUP_KEY is set but BACKUP_TO is not'],
    [{ ...S3, BACKUP_TO: '', BACKUP_KEY: '' }, 'BACKUP_S3_ENDPOINT is set but BACKUP_TO is not'],
    [{ BACKUP_TO: '/x', BACKUP_KEY: `${KEY.slice(0, -1)}7` }, 'BACKUP_KEY must be an age identity'],
    [{ BACKUP_TO: '/x', BACKUP_KEY: 'age1abc' }, 'BACKUP_KEY must be an age identity'],
    [{ BACKUP_TO: '/x', BACKUP_KEY: KEY, BACKUP_S3_SECRET: 'x' }, 'BACKUP_S3_SECRET is set but BACKUP_TO is a folder'],
    [{ ...S3, BACKUP_TO: 's3://bucket/../x' }, 'BACKUP_TO must be a folder, or s3://'],
    [{ ...S3, BACKUP_TO: 'gs://bucket' }, 'BACKUP_TO must be a folder, or s3://'],
    [{ ...S3, BACKUP_S3_ENDPOINT: '' }, 'BACKUP_S3_ENDPOINT is missing'],
    [{ ...S3, BACKUP_S3_ENDPOINT: 'http://s3.example.com' }, 'BACKUP_S3_ENDPOINT must begin with https://'],
    [{ ...S3, BACKUP_S3_ENDPOINT: 's3.example.com' }, 'BACKUP_S3_ENDPOINT must begin with https://'],
    [{ ...S3, BACKUP_S3_KEY_ID: '' }, 'BACKUP_S3_KEY_ID is missing'],
    [{ ...S3, BACKUP_S3_SECRET: '' }, 'BACKUP_S3_SECRET is missing'],
  ])('%o: %s', (given, sentence) => {
    const { problems } = read(given)
    expect(problems).toEqual([expect.stringContaining(sentence)])
    expect(problems.join()).not.toContain(KEY)
  })

  it('are not sealed with what is a secret already', () => {
    expect(read({ BACKUP_TO: '/x', BACKUP_KEY: KEY }, { METRICS_TOKEN: KEY, ENC_KEYS: 'k1:x' }).problems).toEqual([
      'BACKUP_KEY is the same as METRICS_TOKEN: whoever has the one would have the other.',
    ])
  })

  it('are not taken for a secret when they are no key at all', () => {
    expect(read({ BACKUP_TO: '/x', BACKUP_KEY: 'x' }, { SESSION_SECRET: 'text' }).problems).toEqual([
      expect.stringContaining('BACKUP_KEY must be an age identity'),
    ])
  })

  it('notice one changed letter of a key, wherever it is', () => {
    expect(isAgeIdentity(KEY)).toBe(true)
    for (let at = 16; at < KEY.length; at++) {
      const changed = `${KEY.slice(0, at)}${KEY[at] === 'Q' ? 'P' : 'Q'}${KEY.slice(at + 1)}`
      expect(isAgeIdentity(changed)).toBe(false)
    }
  })
})
