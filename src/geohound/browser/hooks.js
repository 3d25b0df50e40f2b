// Put into every frame before its own scripts: hears which elements listen for events, lists them, and triggers them.
(name) => {
  "use strict";
  const KINDS = {
    click: "click", mousedown: "click", mouseup: "click", pointerdown: "click", pointerup: "click",
    dblclick: "dblclick", mouseover: "mouseover", mouseenter: "mouseover", pointerover: "mouseover", pointerenter: "mouseover",
  };
  const NATURAL =
    'button, summary, [role=button], [role=tab], [role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=option], ' +
    '[role=switch], [role=checkbox], [role=treeitem], input[type=checkbox], input[type=radio], input[type=button], ' +
    'input[type=image], a:not([href]), a[href=""], a[href^="#"], a[href^="javascript:" i], [data-toggle], [data-layer], [data-tab]';
  const TEXT = 'input:not([type]), input[type=text], input[type=search], textarea';
  const MOST_WALKED = 6000, MOST_HEARD = 20000, MOST_OPTIONS = 20, MOST_LOADS = 50, MOST_ASKED = 600;
  const FUNCTION = "\u0192 "; // its code says less than code in the markup does: it may know more than it shows
  const heard = new WeakMap();
  const numbers = new WeakMap();
  const elements = [];
  let count = 0;

  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    try {
      const kind = KINDS[type];
      if (kind && listener && this && this.nodeType === 1 && count < MOST_HEARD) {
        count += 1;
        const known = heard.get(this) || {};
        known[kind] = ((known[kind] || "") + String(listener.handleEvent || listener).slice(0, 200)).slice(0, 300);
        heard.set(this, known);
      }
    } catch (error) { /* what cannot be read is not listed */ }
    return listen.call(this === undefined ? window : this, type, listener, options);
  };
  const nothing = () => undefined;
  for (const loud of ["alert", "print", "focus", "stop", "close", "moveTo", "resizeTo"]) try { window[loud] = nothing; } catch (e) { /* */ }
  try { window.confirm = () => true; window.prompt = () => null; window.open = () => null; } catch (e) { /* */ }

  // A page that asks without end would drown whoever answers: from here on it is refused where it asks.
  let left = MOST_ASKED;
  const ask = window.fetch;
  if (ask) window.fetch = function (...all) { return left-- > 0 ? ask.apply(this, all) : Promise.reject(new TypeError("Failed to fetch")); };
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...all) { if (left-- > 0) return send.apply(this, all); this.abort(); };
  const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src");
  if (source) Object.defineProperty(HTMLImageElement.prototype, "src", { ...source, set(value) { if (left-- > 0) source.set.call(this, value); } });

  function* walk(root, left) {
    for (const element of root.querySelectorAll("*")) {
      if (left.n-- <= 0) return;
      yield element;
      if (element.shadowRoot) yield* walk(element.shadowRoot, left);
    }
  }
  const textOf = (element) => {
    const own = (element.innerText || element.textContent || "").slice(0, 80);
    const near = element.labels && element.labels[0] ? element.labels[0].textContent.slice(0, 80) : "";
    return own.trim() || near.trim() || element.title || element.getAttribute("aria-label") || element.alt || element.value ||
      element.name || Object.values(element.dataset || {}).join(" ").slice(0, 80) || "";
  };
  const nameOf = (element) => {
    const id = element.id ? "#" + element.id : "";
    const kind = typeof element.className === "string" && element.className ? "." + element.className.trim().split(/\s+/).slice(0, 3).join(".") : "";
    const role = element.getAttribute("role") || element.type || "";
    return element.localName + (role ? "[" + role + "]" : "") + id + kind;
  };
  const isLogin = (form) => !!form && !!form.querySelector("input[type=password]");
  const isLeftAlone = (element) => {
    if (element.disabled || element.localName === "body" || element.localName === "html" || element.isContentEditable) return true;
    const form = element.form || element.closest("form");
    if (isLogin(form)) return true;
    const type = element.type || "";
    if (type === "file" || type === "password" || type === "reset" || element.hasAttribute("download")) return true;
    return !!form && (type === "submit" || type === "image") && !!form.querySelector(TEXT);
  };
  const handlerOf = (element, kind) => {
    const written = element.getAttribute("on" + kind);
    if (written) return written.slice(0, 300);
    const set = element["on" + kind];
    if (typeof set === "function") return FUNCTION + String(set).slice(0, 300);
    const known = heard.get(element);
    return known && known[kind] ? FUNCTION + known[kind] : undefined;
  };
  const numberOf = (element) => {
    let number = numbers.get(element);
    if (number === undefined) {
      number = elements.push(element) - 1;
      numbers.set(element, number);
    }
    return number;
  };

  // What code changes: named in the code itself, or in the function that it calls.
  const TARGET = /[A-Za-z_$][\w$.]{0,80}(?:\([^()]{0,80}\)[\w$.]{0,60}){0,2}\.(?:innerHTML|outerHTML|textContent|innerText|value|src|href)(?=\s{0,9}\+?=(?!=))/;
  const CALLED = /^\s{0,9}(?:javascript:\s{0,9})?(?:return\s{1,9})?([A-Za-z_$][\w$]{0,80})\s{0,9}\(/;
  const BY_ID = /document\.(?:getElementById|querySelector)\(\s{0,9}["']#?([\w-]{1,60})["']\s{0,9}\)/g;
  const targetOf = (code) => {
    try {
      const named = TARGET.exec(code.slice(0, 2000));
      const call = named ? null : CALLED.exec(code);
      const called = call && typeof window[call[1]] === "function" ? TARGET.exec(String(window[call[1]]).slice(0, 2000)) : null;
      const found = named || called;
      return found ? found[0].replace(BY_ID, "$1").slice(0, 100) : "";
    } catch (error) {
      return "";
    }
  };
  function* loads() {
    if (typeof window.onload === "function" && !(document.body && document.body.hasAttribute("onload"))) {
      yield [-1, "load", "window", "", FUNCTION + String(window.onload).slice(0, 300), ""];
    }
    for (const element of document.querySelectorAll("[onload]")) {
      const code = element.getAttribute("onload").slice(0, 300);
      yield [numberOf(element), "load", nameOf(element), "", code, targetOf(code)];
    }
  }

  function list() {
    const rows = [];
    for (const row of loads()) if (rows.length < MOST_LOADS) rows.push(row);
    for (const element of walk(document, { n: MOST_WALKED })) {
      if (rows.length >= 2000) break;
      if (isLeftAlone(element)) continue;
      if (element.localName === "select") {
        for (const option of [...element.options].slice(0, MOST_OPTIONS)) {
          if (!option.selected) rows.push([numberOf(element), "change", nameOf(element), option.text.slice(0, 80), option.value.slice(0, 200), ""]);
        }
        continue;
      }
      let any = false;
      for (const kind of ["click", "dblclick", "mouseover"]) {
        const handler = handlerOf(element, kind);
        if (handler === undefined) continue;
        any = true;
        rows.push([numberOf(element), kind, nameOf(element), textOf(element), handler, targetOf(handler)]);
      }
      if (!any && element.matches(NATURAL)) rows.push([numberOf(element), "click", nameOf(element), textOf(element), "", ""]);
    }
    return rows;
  }

  function fire(number, kind, value) {
    const element = elements[number];
    if (!element || !element.isConnected) return false;
    const box = element.getBoundingClientRect();
    const at = {
      bubbles: true, cancelable: true, composed: true, view: window, button: 0, detail: kind === "dblclick" ? 2 : 1,
      clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, pointerId: 1, isPrimary: true, pointerType: "mouse",
    };
    const send = (type) => element.dispatchEvent(new (type.startsWith("pointer") ? PointerEvent : MouseEvent)(type, at));
    if (kind === "click") ["pointerdown", "mousedown", "pointerup", "mouseup", "click"].forEach(send);
    else if (kind === "dblclick") send("dblclick");
    else if (kind === "mouseover") ["pointerover", "pointerenter", "mouseover", "mouseenter", "mousemove"].forEach(send);
    else if (kind === "change") {
      element.value = value;
      element.dispatchEvent(new Event("input", { bubbles: true }));
      element.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return true;
  }

  // Searches with one plain field of text; whatever wants to know more of a visitor is left alone.
  function searches() {
    const rows = [];
    for (const field of document.querySelectorAll('input:not([type]), input[type=text], input[type=search]')) {
      const form = field.form;
      if (field.disabled || field.readOnly || rows.length >= 5) continue;
      if (form) {
        const others = form.querySelectorAll('textarea, input[type=password], input[type=email], input[type=tel], input[type=file], input[type=date]');
        if (others.length || form.querySelectorAll('input:not([type]), input[type=text], input[type=search]').length !== 1) continue;
      } else if (field.type !== "search" && !/search|such|busca|recherch|cerca|zoek/i.test(field.placeholder + field.id + field.name + field.className)) continue;
      rows.push([numberOf(field), form ? nameOf(form) : nameOf(field), textOf(field)]);
    }
    return rows;
  }

  function search(number, word) {
    const field = elements[number];
    if (!field || !field.isConnected) return false;
    field.value = word;
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
    for (const type of ["keydown", "keypress", "keyup"]) {
      field.dispatchEvent(new KeyboardEvent(type, { bubbles: true, cancelable: true, key: "Enter", code: "Enter", keyCode: 13, which: 13 }));
    }
    if (field.form) field.form.requestSubmit ? field.form.requestSubmit() : field.form.submit();
    return true;
  }

  // Answers when the page has nothing more to do, which on a busy machine is later than a clock would say.
  const later = window.requestIdleCallback ? window.requestIdleCallback.bind(window) : (then) => setTimeout(then, 50);
  const idle = () => new Promise((then) => later(() => setTimeout(then, 0), { timeout: 2000 }));
  // Web components keep their content in shadow trees, which outerHTML leaves out: it comes after the page.
  const outer = () => {
    let html = document.documentElement ? document.documentElement.outerHTML : "";
    for (const { shadowRoot } of walk(document, { n: MOST_WALKED })) {
      if (html.length >= 2000000) break;
      if (shadowRoot) html += "<div>" + shadowRoot.innerHTML + "</div>";
    }
    return html.slice(0, 2000000);
  };
  Object.defineProperty(window, name, { value: Object.freeze({ list, fire, searches, search, outer, idle }) });

  // Maps draw nothing, and so ask for nothing, in a box of no height; their style sheets are not fetched.
  const style = () => {
    const root = document.documentElement;
    if (!root) return;
    const sheet = document.createElement("style");
    sheet.textContent = ':where(div[id*="map" i], div[class*="map" i], [id*="viewer" i], canvas) { min-height: 300px; min-width: 300px }';
    root.appendChild(sheet);
  };
  if (document.documentElement) style(); else listen.call(document, "readystatechange", style, { once: true });
}
