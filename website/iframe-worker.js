// Browsers start no workers for pages that are opened from a folder. There, run a worker's script (the
// search) in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.document.open();
      inside.document.close();
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const load = (url) => new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        Object.assign(script, { src: url, onload: done, onerror: failed });
        inside.document.documentElement.append(script);
      });
      inside.importScripts = (...urls) => urls.reduce((before, url) => before.then(() => load(url)), Promise.resolve());
      this.ready = load(address).then(() => inside);
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
