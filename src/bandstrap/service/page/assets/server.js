// The server that the page came from, and the key for it.

const KEY = "bandstrap-key";
const PATIENCE = 8000; // ms for an answer

class Locked extends Error {}
class Gone extends Error {}
class Trouble extends Error {}

class Server {
  constructor() {
    this.key = this.kept();
  }

  kept() {
    try {
      return sessionStorage.getItem(KEY) ?? "";
    } catch {
      return ""; // where pages may keep nothing the key lasts as long as the page
    }
  }

  keep(key) {
    this.key = key;
    try {
      sessionStorage.setItem(KEY, key);
    } catch { /* see above */ }
  }

  // What is at a path; the page may lie behind a proxy under any address.
  async get(path) {
    const answer = await fetch(new URL(path, location.href), {
      headers: this.key ? { Authorization: `Bearer ${this.key}` } : {},
      cache: "no-store", credentials: "same-origin", redirect: "error", signal: AbortSignal.timeout(PATIENCE),
    });
    if (answer.status === 401) throw new Locked(this.key ? "This key was not accepted." : "");
    if (answer.status === 403) throw new Locked("This key may not read: its role is another.");
    if (answer.status === 404) throw new Gone();
    if (!answer.ok) throw new Trouble(answer.status);
    return answer.json();
  }

  async experiments() {
    return (await this.get("v1/experiments")).experiments;
  }

  status(name) {
    return this.get(`v1/experiments/${encodeURIComponent(name)}`);
  }
}
