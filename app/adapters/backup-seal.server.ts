// age (age-encryption.org) for the content; a keyed hash, derived from the same identity, for the manifest.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { BackupSeal } from './backup-seal.ts'

/** @param identities `AGE-SECRET-KEY-1…`, at least one: the first seals and signs. Rejects when one is unreadable. */
export async function createBackupSeal(identities: readonly string[]): Promise<BackupSeal> {
  const [first] = identities
  if (!first) throw new Error('there is no key to seal backups with')
  const recipient = await identityToRecipient(first)
  const keys = identities.map((identity) =>
    Buffer.from(hkdfSync('sha256', identity, '', 'fieldhook backup manifest', 32)),
  )
  const hash = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  return {
    async seal(plain) {
      const encrypter = new Encrypter()
      encrypter.addRecipient(recipient)
      return encrypter.encrypt(plain)
    },
    async open(sealed) {
      const decrypter = new Decrypter()
      for (const identity of identities) decrypter.addIdentity(identity)
      return decrypter.decrypt(sealed)
    },
    sign: (text) => hash(keys[0] ?? Buffer.alloc(0), text).toString('hex'),
    isSigned(text, signature) {
      const given = Buffer.from(signature, 'hex')
      return keys.some((key) => given.length === 32 && timingSafeEqual(hash(key, text), given))
    },
  }
}

/** A new identity and its recipient. */
export async function newBackupKey(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}
