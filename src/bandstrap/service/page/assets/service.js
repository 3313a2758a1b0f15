// Asks every few seconds and shows what came; says since when nobody answers.

const EVERY = 3000; // ms
const THEMES = [["auto", "Auto", "as the system"], ["light", "Light", "light"], ["dark", "Dark", "dark"]];

class Live {
  constructor() {
    this.server = new Server();
    this.page = new Page();
    this.names = [];
    this.heard = null; // when somebody last answered
    this.round = 0; // answers to what was asked before are not shown
    this.chooser = part("experiment");
    this.dialog = part("ask");
    this.listen();
    this.poll();
  }

  listen() {
    this.chooser.addEventListener("change", () => this.choose(this.chooser.value));
    addEventListener("popstate", () => this.again());
    document.addEventListener("visibilitychange", () => !document.hidden && this.again());
    part("key").addEventListener("click", () => this.ask(""));
    part("ask-later").addEventListener("click", () => this.dialog.close());
    this.dialog.querySelector("form").addEventListener("submit", (event) => this.open(event));
    this.dialog.addEventListener("close", () => { this.dialog.querySelector("input").value = ""; });
    part("theme").addEventListener("click", () => this.nextTheme());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.page.redraw());
  }

  nextTheme() {
    const now = THEMES.findIndex(([name]) => name === (document.documentElement.dataset.theme || "auto"));
    const [name, label, said] = THEMES[(now + 1) % THEMES.length];
    document.documentElement.dataset.theme = name;
    part("theme").textContent = `◐ ${label}`;
    part("theme").setAttribute("aria-label", `Colours: ${said}`);
    this.page.redraw();
  }

  choose(name) {
    const url = new URL(location.href);
    url.searchParams.set("experiment", name);
    history.pushState(null, "", url);
    this.again();
  }

  chosen() {
    const asked = new URLSearchParams(location.search).get("experiment");
    return this.names.includes(asked) ? asked : this.names[0];
  }

  again() {
    clearTimeout(this.timer);
    this.poll();
  }

  async poll() {
    const round = ++this.round;
    try {
      const status = await this.look();
      if (round !== this.round) return;
      this.live(status);
    } catch (error) {
      if (round !== this.round) return;
      if (error instanceof Locked) return this.locked(error.message);
      if (error instanceof Gone) this.names = [];
      else this.away(error);
    }
    if (!document.hidden) this.timer = setTimeout(() => this.poll(), EVERY);
  }

  async look() {
    const names = await this.server.experiments();
    if (JSON.stringify(names) !== JSON.stringify(this.names)) this.offer(names);
    return this.names.length ? this.server.status(this.chosen()) : null;
  }

  offer(names) {
    this.names = names;
    this.chooser.replaceChildren(...names.map((name) => element("option", { value: name }, clean(name))));
  }

  live(status) {
    this.heard = new Date();
    this.state("live", "Live");
    part("away").hidden = true;
    part("key").hidden = !this.server.key;
    if (this.opening) this.dialog.close();
    this.opening = false;
    if (!status) return;
    this.chooser.value = this.chosen();
    document.title = `${clean(status.experiment)} · bandstrap`;
    this.page.show(status);
    document.documentElement.dataset.drawn = "true"; // for who waits
  }

  away(error) {
    this.since ??= this.heard ?? new Date();
    const when = moment(this.since / 1000);
    this.state("away", `Away since ${when}`);
    const what = error instanceof Trouble ? `The server answers ${error.message} since ${when}` : `The server has not answered since ${when}`;
    const more = this.heard ? "; what you see is from then." : ". This page goes on asking.";
    renew(part("away"), what + more, (text) => [text]);
    part("away").hidden = false;
    if (!this.heard) renew(part("sentence"), "Nobody answers.", (text) => [text]);
  }

  locked(why) {
    this.state("locked", "Needs a key");
    if (!this.heard) renew(part("sentence"), "This server asks for a key.", (text) => [text]);
    part("key").hidden = false;
    this.ask(why);
  }

  state(is, text) {
    if (is !== "away") this.since = null;
    part("state").dataset.is = is;
    renew(part("state").querySelector("span"), text, () => [text]);
  }

  ask(why) {
    part("ask-why").textContent = why || "Give one with the role “read”. It stays in this tab until you close it.";
    part("ask-why").classList.toggle("wrong", !!why);
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.querySelector("input").focus();
  }

  open(event) {
    event.preventDefault();
    const key = this.dialog.querySelector("input").value.trim();
    if (!/^[!-~]+$/.test(key)) return this.ask("This is no key: keys are letters, digits and signs.");
    this.server.keep(key);
    this.opening = true;
    this.again();
  }
}

const live = new Live();
